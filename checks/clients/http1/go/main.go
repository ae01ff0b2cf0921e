// Sends the requests of a file with net/http. See ../clients.mjs for the arguments and the output.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"time"
)

const timeout = 30 * time.Second

type testCase struct {
	Name    string
	Url     string
	Method  string
	Headers map[string]string
	Body    []byte
	Chunk   int
	Expect  bool
	Close   bool
	Times   int
}

type result struct {
	Name        string            `json:"name"`
	Status      any               `json:"status"`
	Body        []byte            `json:"body"`
	Length      *string           `json:"length"`
	Coding      *string           `json:"coding"`
	Trailers    map[string]string `json:"trailers"`
	Connections int               `json:"connections"`
}

// chunks returns at most size bytes at once. Each becomes a chunk of the body.
type chunks struct {
	rest []byte
	size int
}

func (c *chunks) Read(into []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	count := copy(into[:min(c.size, len(into))], c.rest)
	c.rest = c.rest[count:]
	return count, nil
}

func (c testCase) send(client *http.Client, connections map[string]bool) (result, error) {
	var body io.Reader
	if c.Body != nil && c.Chunk > 0 {
		body = &chunks{rest: c.Body, size: c.Chunk}
	} else if c.Body != nil {
		body = bytes.NewReader(c.Body)
	}
	request := must(http.NewRequest(c.Method, c.Url, body))
	for name, value := range c.Headers {
		request.Header.Set(name, value)
	}
	if c.Expect {
		request.Header.Set("Expect", "100-continue")
	}
	request.Close = c.Close
	trace := httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		connections[info.Conn.LocalAddr().String()] = true
	}}
	response, err := client.Do(request.WithContext(httptrace.WithClientTrace(request.Context(), &trace)))
	if err != nil {
		return result{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return result{}, err
	}
	found := result{Name: c.Name, Status: response.StatusCode, Body: content, Trailers: map[string]string{}}
	if length := response.Header.Get("Content-Length"); length != "" {
		found.Length = &length
	}
	if len(response.TransferEncoding) > 0 {
		coding := strings.Join(response.TransferEncoding, ", ")
		found.Coding = &coding
	}
	for name := range response.Trailer {
		found.Trailers[strings.ToLower(name)] = response.Trailer.Get(name)
	}
	return found, nil
}

func main() {
	file, certificate := os.Args[1], os.Args[2]
	var cases []testCase
	check(json.Unmarshal(must(os.ReadFile(file)), &cases))
	// The body is sent after the 100, and never before it.
	transport := &http.Transport{ExpectContinueTimeout: timeout, DisableCompression: true}
	if certificate != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(must(os.ReadFile(certificate)))
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	client := &http.Client{Transport: transport, Timeout: timeout}
	output := json.NewEncoder(os.Stdout)
	for _, each := range cases {
		connections := map[string]bool{}
		var found result
		for range each.Times {
			var err error
			if found, err = each.send(client, connections); err != nil {
				found = result{Name: each.Name, Status: fmt.Sprint(err)}
				break
			}
		}
		found.Connections = len(connections)
		check(output.Encode(found))
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
