// Command load sends prepared requests to a server and prints the result as JSON:
//
//	load -requests requests.json -address 127.0.0.1:8080 -connections 4 -streams 16 -seconds 5
//
// With -responses it sends each request once instead and writes the responses to a file, see writeResponses.
package main

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
)

// timeout is the longest time without a byte from the server.
const timeout = 10 * time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run() error {
	requests := flag.String("requests", "", "file with the requests")
	address := flag.String("address", "", "host and port of the server")
	useTLS := flag.Bool("tls", false, "connect with TLS, without checking the certificate")
	connections := flag.Int("connections", 4, "number of connections")
	streams := flag.Int("streams", 16, "concurrent requests per connection, for HTTP/2")
	seconds := flag.Float64("seconds", 5, "duration")
	first := flag.Int64("first", 0, "index of the first request")
	responses := flag.String("responses", "", "file for the responses: sends each request once")
	flag.Parse()
	// The program has one processor.
	runtime.GOMAXPROCS(1)

	work, err := readWorkload(*requests)
	if err != nil {
		return err
	}
	conns := make([]net.Conn, *connections)
	for i := range conns {
		if conns[i], err = dial(*address, work.HTTP, *useTLS); err != nil {
			return err
		}
		defer conns[i].Close()
	}
	turn := &turn{first: *first, count: int64(len(work.Requests)), limit: -1}
	if *responses == "" {
		turn.end = time.Now().Add(time.Duration(*seconds * float64(time.Second)))
	} else {
		turn.limit = turn.count
	}
	results := make([]*result, len(conns))
	exchanges := make([]exchange, len(conns))
	for i := range conns {
		results[i] = &result{keepsBodies: *responses != ""}
		if work.HTTP == 2 {
			exchanges[i] = newHTTP2(work, turn, results[i], *streams)
		} else {
			exchanges[i] = newHTTP1(work, turn, results[i])
		}
	}
	started := time.Now()
	usedBefore := processorTime()
	if *useTLS {
		err = drive(conns, exchanges)
	} else {
		err = drivePlain(conns, exchanges)
	}
	if err != nil {
		return err
	}
	elapsed := time.Since(started)
	if *responses != "" {
		return writeResponses(*responses, len(work.Requests), results)
	}
	return json.NewEncoder(os.Stdout).Encode(summarize(results, elapsed, processorTime()-usedBefore))
}

func dial(address string, version int, useTLS bool) (net.Conn, error) {
	if !useTLS {
		return net.Dial("tcp", address)
	}
	protocol := "http/1.1"
	if version == 2 {
		protocol = "h2"
	}
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
	if err == nil && version == 2 && conn.ConnectionState().NegotiatedProtocol != "h2" {
		err = errors.New("the server does not offer h2")
	}
	return conn, err
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
