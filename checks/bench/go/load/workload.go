package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// workload is the content of the file with the requests.
type workload struct {
	// HTTP is the version: 1 or 2.
	HTTP int `json:"http"`
	// GRPC requires the trailer grpc-status: 0.
	GRPC bool `json:"grpc"`
	// TLS sets the scheme of HTTP/2 requests.
	TLS    bool   `json:"tls"`
	Method string `json:"method"`
	// Authority is the host of the requests.
	Authority string `json:"authority"`
	// Headers are those that all requests have.
	Headers  [][2]string `json:"headers"`
	Requests []request   `json:"requests"`
}

// request is the part that varies.
type request struct {
	Path string `json:"path"`
	// Body is base64 in the file.
	Body []byte `json:"body"`
}

func readWorkload(name string) (*workload, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	work := &workload{}
	if err := json.Unmarshal(text, work); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(work.Requests) == 0 {
		return nil, fmt.Errorf("%s has no requests", name)
	}
	return work, nil
}

// turn hands out the requests in turn to all connections.
type turn struct {
	first, count int64
	// limit is the number of requests to send; -1: until end.
	limit int64
	end   time.Time
	sent  atomic.Int64
}

// next returns the index of the next request, or false if there are no more.
func (t *turn) next(now time.Time) (int, bool) {
	if t.limit < 0 && now.After(t.end) {
		return 0, false
	}
	sent := t.sent.Add(1) - 1
	if t.limit >= 0 && sent >= t.limit {
		return 0, false
	}
	return int((t.first + sent) % t.count), true
}
