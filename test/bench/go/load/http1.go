package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// http1 sends requests over a connection of HTTP/1.1, one at a time.
type http1 struct {
	conn   net.Conn
	in     *bufio.Reader
	work   *workload
	turn   *turn
	result *result
	// head is what all requests have after their first line.
	head []byte
	out  []byte
}

func newHTTP1(conn net.Conn, work *workload, turn *turn, result *result) *http1 {
	head := []byte(" HTTP/1.1\r\nhost: " + work.Authority + "\r\n")
	for _, header := range work.Headers {
		head = append(head, header[0]+": "+header[1]+"\r\n"...)
	}
	in := bufio.NewReaderSize(conn, 64*1024)
	return &http1{conn: conn, in: in, work: work, turn: turn, result: result, head: head}
}

func (c *http1) run() error {
	now := time.Now()
	for {
		index, ok := c.turn.next(now)
		if !ok {
			return nil
		}
		c.conn.SetDeadline(now.Add(timeout))
		if err := c.send(&c.work.Requests[index]); err != nil {
			return err
		}
		status, body, err := c.receive()
		if err != nil {
			return fmt.Errorf("the response to %s: %w", c.work.Requests[index].Path, err)
		}
		ended := time.Now()
		c.result.add(response{index, status == 200 && body.length > 0, status, body.kept}, ended.Sub(now))
		now = ended
	}
}

func (c *http1) send(request *request) error {
	c.out = append(append(append(c.out[:0], c.work.Method...), ' '), request.Path...)
	c.out = append(c.out, c.head...)
	if len(request.Body) > 0 {
		c.out = append(c.out, "content-length: "...)
		c.out = append(strconv.AppendInt(c.out, int64(len(request.Body)), 10), "\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), request.Body...)
	_, err := c.conn.Write(c.out)
	return err
}

// body is the length of a body, and its bytes if they are kept.
type body struct {
	length int
	kept   []byte
}

var errNoLength = errors.New("has no length")

func (c *http1) receive() (status int, received body, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, received, err
	}
	// HTTP/1.1 200 OK
	if len(line) < 12 || string(line[:9]) != "HTTP/1.1 " {
		return 0, received, fmt.Errorf("starts with %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, received, err
	}
	length := -1
	chunked := false
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return status, received, err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if equalFold(name, "content-length") {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return status, received, err
			}
		} else if equalFold(name, "transfer-encoding") {
			chunked = true
		}
	}
	switch {
	case chunked:
		err = c.receiveChunks(&received)
	case length >= 0:
		err = c.receiveBytes(&received, length)
	default:
		err = errNoLength
	}
	return status, received, err
}

// equalFold compares a header name with one in lower case.
func equalFold(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, char := range name {
		if char|0x20 != lower[i] {
			return false
		}
	}
	return true
}

func (c *http1) receiveBytes(received *body, length int) error {
	received.length += length
	if !c.result.keepsBodies {
		_, err := c.in.Discard(length)
		return err
	}
	part := make([]byte, length)
	_, err := io.ReadFull(c.in, part)
	received.kept = append(received.kept, part...)
	return err
}

// receiveChunks reads a chunked body without trailers.
func (c *http1) receiveChunks(received *body) error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return err
		}
		if err := c.receiveBytes(received, int(size)); err != nil {
			return err
		}
		if _, err := c.in.Discard(len("\r\n")); err != nil || size == 0 {
			return err
		}
	}
}
