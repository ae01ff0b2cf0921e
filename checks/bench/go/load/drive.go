package main

import (
	"errors"
	"net"
	"sync"
	"time"
)

// exchange is the client's side of a connection. It consumes what the server sends and produces what is to be sent.
type exchange interface {
	// start and receive append to the output.
	start(now time.Time) error
	// receive does not keep the chunk.
	receive(chunk []byte, now time.Time) error
	// output returns the bytes to be sent. The driver removes them.
	output() *[]byte
	// wrote is called with the number of bytes that have been sent.
	wrote(n int)
	// isDone reports whether all responses have been received.
	isDone() bool
}

const chunkSize = 256 * 1024

// drive runs all exchanges, each in a goroutine.
func drive(conns []net.Conn, exchanges []exchange) error {
	failures := make([]error, len(conns))
	var group sync.WaitGroup
	for i := range conns {
		group.Go(func() { failures[i] = driveOne(conns[i], exchanges[i]) })
	}
	group.Wait()
	return errors.Join(failures...)
}

func driveOne(conn net.Conn, exchange exchange) error {
	now := time.Now()
	if err := exchange.start(now); err != nil {
		return err
	}
	chunk := make([]byte, chunkSize)
	for {
		out := exchange.output()
		conn.SetDeadline(now.Add(timeout))
		n, err := conn.Write(*out)
		if err != nil {
			return err
		}
		exchange.wrote(n)
		*out = (*out)[:0]
		if exchange.isDone() {
			return nil
		}
		if n, err = conn.Read(chunk); err != nil {
			return err
		}
		now = time.Now()
		if err := exchange.receive(chunk[:n], now); err != nil {
			return err
		}
	}
}
