package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// http1 sends requests over a connection of HTTP/1.1, one at a time.
type http1 struct {
	work   *workload
	turn   *turn
	result *result
	// head is what all requests have after their first line.
	head    []byte
	index   int
	started time.Time
	done    bool
	// in is the start of a response that continues in the next chunk.
	in  []byte
	out []byte
}

func newHTTP1(work *workload, turn *turn, result *result) *http1 {
	head := []byte(" HTTP/1.1\r\nhost: " + work.Authority + "\r\n")
	for _, header := range work.Headers {
		head = append(head, header[0]+": "+header[1]+"\r\n"...)
	}
	return &http1{work: work, turn: turn, result: result, head: head}
}

func (c *http1) output() *[]byte { return &c.out }

func (c *http1) wrote(n int) { c.result.bytesSent += n }

func (c *http1) isDone() bool { return c.done }

func (c *http1) start(now time.Time) error {
	index, ok := c.turn.next(now)
	if !ok {
		c.done = true
		return nil
	}
	c.index = index
	c.started = now
	request := &c.work.Requests[index]
	c.out = append(append(append(c.out, c.work.Method...), ' '), request.Path...)
	c.out = append(c.out, c.head...)
	if len(request.Body) > 0 {
		c.out = append(c.out, "content-length: "...)
		c.out = append(strconv.AppendInt(c.out, int64(len(request.Body)), 10), "\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), request.Body...)
	return nil
}

func (c *http1) receive(chunk []byte, now time.Time) error {
	c.result.bytesReceived += len(chunk)
	if len(c.in) > 0 {
		c.in = append(c.in, chunk...)
		chunk = c.in
	}
	status, body, size, err := parseResponse(chunk)
	if err != nil {
		return fmt.Errorf("the response to %s: %w", c.work.Requests[c.index].Path, err)
	}
	if size == 0 {
		c.in = append(c.in[:0], chunk...)
		return nil
	}
	if size < len(chunk) {
		return errors.New("there are bytes after a response")
	}
	received := response{index: c.index, ok: status == 200 && len(body) > 0, status: status}
	if c.result.keepsBodies {
		received.body = bytes.Clone(body)
	}
	c.result.add(received, now.Sub(c.started))
	c.in = c.in[:0]
	return c.start(now)
}

// parseResponse parses the response at the start of the bytes. The size is 0 if it is not complete.
func parseResponse(in []byte) (status int, body []byte, size int, err error) {
	headSize := bytes.Index(in, []byte("\r\n\r\n"))
	if headSize == -1 {
		return 0, nil, 0, nil
	}
	line, headers, _ := bytes.Cut(in[:headSize], []byte("\r\n"))
	// HTTP/1.1 200 OK
	if len(line) < 12 || string(line[:9]) != "HTTP/1.1 " {
		return 0, nil, 0, fmt.Errorf("starts with %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, 0, err
	}
	length := -1
	for len(headers) > 0 {
		line, headers, _ = bytes.Cut(headers, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		if equalFold(name, "content-length") {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, 0, err
			}
		} else if equalFold(name, "transfer-encoding") {
			body, size, err = parseChunks(in[headSize+4:])
			if size > 0 {
				size += headSize + 4
			}
			return status, body, size, err
		}
	}
	if length == -1 {
		return 0, nil, 0, errors.New("has no length")
	}
	size = headSize + 4 + length
	if len(in) < size {
		return 0, nil, 0, nil
	}
	return status, in[headSize+4 : size], size, nil
}

// parseChunks parses a chunked body without trailers. The size is 0 if it is not complete.
func parseChunks(in []byte) (body []byte, size int, err error) {
	for {
		line, _, found := bytes.Cut(in[size:], []byte("\r\n"))
		if !found {
			return nil, 0, nil
		}
		length, err := strconv.ParseUint(string(line), 16, 31)
		if err != nil {
			return nil, 0, err
		}
		start := size + len(line) + 2
		size = start + int(length) + 2
		if len(in) < size {
			return nil, 0, nil
		}
		if length == 0 {
			return body, size, nil
		}
		body = append(body, in[start:start+int(length)]...)
	}
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
