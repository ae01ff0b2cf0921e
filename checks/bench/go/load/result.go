package main

import (
	"bufio"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"time"
)

// result collects the responses of one connection.
type result struct {
	// latencies are in microseconds.
	latencies   []uint32
	errors      int
	keepsBodies bool
	// Bytes of the connection, without those of TLS, TCP and IP.
	bytesSent, bytesReceived int
	// responses is empty unless bodies are kept.
	responses []response
}

type response struct {
	index  int
	ok     bool
	status int
	body   []byte
}

// add records a response. Its body is kept as it is.
func (r *result) add(received response, latency time.Duration) {
	r.latencies = append(r.latencies, uint32(min(latency.Microseconds(), math.MaxUint32)))
	if !received.ok {
		r.errors++
	}
	if r.keepsBodies {
		r.responses = append(r.responses, received)
	}
}

// summary is the printed result.
type summary struct {
	Requests int `json:"requests"`
	// Errors counts responses with another status than 200, without a body, or with another grpc-status than 0.
	Errors  int     `json:"errors"`
	Seconds float64 `json:"seconds"`
	// P50 and P99 are milliseconds.
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	// BytesSent and BytesReceived include headers, but not what TLS, TCP and IP add.
	BytesSent     int `json:"bytesSent"`
	BytesReceived int `json:"bytesReceived"`
	// ProcessorSeconds is the processor time of this program while it sends requests.
	ProcessorSeconds float64 `json:"processorSeconds"`
}

func summarize(results []*result, elapsed, processorTime time.Duration) summary {
	all := []uint32{}
	failed, sent, received := 0, 0, 0
	for _, each := range results {
		sent += each.bytesSent
		received += each.bytesReceived
		all = append(all, each.latencies...)
		failed += each.errors
	}
	slices.Sort(all)
	return summary{
		Requests:         len(all),
		Errors:           failed,
		Seconds:          elapsed.Seconds(),
		P50:              percentile(all, 0.5),
		P99:              percentile(all, 0.99),
		BytesSent:        sent,
		BytesReceived:    received,
		ProcessorSeconds: processorTime.Seconds(),
	}
}

// percentile returns the milliseconds that part of the sorted microseconds do not exceed.
func percentile(sorted []uint32, part float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := max(int(math.Ceil(float64(len(sorted))*part)), 1)
	return float64(sorted[rank-1]) / 1000
}

// writeResponses writes the responses in the order of the requests. Each one is its status, the length of its body (both
// 32 bits, big-endian), and its body. The status of a failed gRPC call is 0.
func writeResponses(name string, count int, results []*result) error {
	ordered := make([]response, count)
	for _, each := range results {
		for _, received := range each.responses {
			ordered[received.index] = received
		}
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	for _, received := range ordered {
		status := received.status
		if status == 200 && !received.ok {
			status = 0
		}
		head := binary.BigEndian.AppendUint32(nil, uint32(status))
		out.Write(binary.BigEndian.AppendUint32(head, uint32(len(received.body))))
		out.Write(received.body)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}
