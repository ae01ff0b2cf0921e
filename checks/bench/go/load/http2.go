package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	frameHead = 9
	// maxFrame is the largest payload that every server accepts, and that this client accepts (RFC 9113, section 4.2).
	maxFrame = 16384
	// window is the receive window of the connection and of each stream. It hardly ever needs an update.
	window = 1 << 30
	// initialWindow is the window before SETTINGS and WINDOW_UPDATE frames (RFC 9113, section 6.9.2).
	initialWindow = 65535
)

// http2Conn sends requests over a connection of HTTP/2. Frames are built and parsed by hand, so that a request costs much less
// here than in the server. Everything that one chunk of input causes is sent at once.
type http2Conn struct {
	work    *workload
	turn    *turn
	result  *result
	blocks  blocks
	decoder *hpack.Decoder
	// fragment is a header block that continues in the next frame, and endsStream belongs to its first frame.
	fragment   []byte
	endsStream bool
	streams    []stream
	// decoding is the stream of the header block that the decoder reads.
	decoding   *stream
	open       int
	nextID     uint32
	sendWindow int64
	received   int
	largest    int64
	done       bool
	// in is the start of a frame that continues in the next chunk.
	in  []byte
	out []byte
}

// stream is a slot for a request. Its id is 0 while it is free.
type stream struct {
	id         uint32
	index      int
	started    time.Time
	status     int
	grpcStatus string
	body       body
}

// body is the length of a body, and its bytes if they are kept.
type body struct {
	length int
	kept   []byte
}

func newHTTP2(work *workload, turn *turn, result *result, streams int) *http2Conn {
	c := &http2Conn{work: work, turn: turn, result: result}
	c.blocks = encodeBlocks(work)
	c.decoder = hpack.NewDecoder(4096, c.onHeader)
	c.streams = make([]stream, streams)
	c.nextID = 1
	c.sendWindow = initialWindow
	for _, request := range work.Requests {
		c.largest = max(c.largest, int64(len(request.Body)))
	}
	return c
}

func (c *http2Conn) start(now time.Time) error {
	if c.largest > initialWindow {
		return fmt.Errorf("a body has more than %d bytes", initialWindow)
	}
	c.out = append(c.out, http2.ClientPreface...)
	c.out = appendFrame(c.out, http2.FrameSettings, 0, 0, 12)
	c.out = binary.BigEndian.AppendUint16(c.out, uint16(http2.SettingEnablePush))
	c.out = binary.BigEndian.AppendUint32(c.out, 0)
	c.out = binary.BigEndian.AppendUint16(c.out, uint16(http2.SettingInitialWindowSize))
	c.out = binary.BigEndian.AppendUint32(c.out, window)
	c.appendWindowUpdate(window - initialWindow)
	c.fill(now)
	return nil
}

func (c *http2Conn) output() *[]byte { return &c.out }

func (c *http2Conn) wrote(n int) { c.result.bytesSent += n }

func (c *http2Conn) isDone() bool { return c.done && c.open == 0 }

func (c *http2Conn) receive(chunk []byte, now time.Time) error {
	c.result.bytesReceived += len(chunk)
	if len(c.in) > 0 {
		c.in = append(c.in, chunk...)
		chunk = c.in
	}
	for len(chunk) >= frameHead {
		length := int(chunk[0])<<16 | int(chunk[1])<<8 | int(chunk[2])
		if length > maxFrame {
			return fmt.Errorf("a frame has %d bytes", length)
		}
		if len(chunk) < frameHead+length {
			break
		}
		kind, flags := http2.FrameType(chunk[3]), http2.Flags(chunk[4])
		id := binary.BigEndian.Uint32(chunk[5:]) & 0x7fffffff
		if err := c.onFrame(kind, flags, id, chunk[frameHead:frameHead+length], now); err != nil {
			return err
		}
		chunk = chunk[frameHead+length:]
	}
	c.in = append(c.in[:0], chunk...)
	c.fill(now)
	return nil
}

// fill sends requests until all streams are in use, or the window or the requests are used up.
func (c *http2Conn) fill(now time.Time) {
	for i := range c.streams {
		if c.open == len(c.streams) || c.done || c.sendWindow < c.largest {
			return
		}
		if c.streams[i].id != 0 {
			continue
		}
		index, ok := c.turn.next(now)
		if !ok {
			c.done = true
			return
		}
		c.streams[i] = stream{id: c.nextID, index: index, started: now}
		c.open++
		c.send(c.nextID, index)
		c.nextID += 2
	}
}

func (c *http2Conn) send(id uint32, index int) {
	requestBody := c.work.Requests[index].Body
	varied := &c.blocks.varied[index]
	constant := &c.blocks.indexed
	if id == 1 {
		constant = &c.blocks.first
	}
	flags := http2.FlagHeadersEndHeaders
	if len(requestBody) == 0 {
		flags |= http2.FlagHeadersEndStream
	}
	length := len(constant.pseudo) + len(varied.pseudo) + len(constant.regular) + len(varied.regular)
	c.out = appendFrame(c.out, http2.FrameHeaders, flags, id, length)
	c.out = append(append(c.out, constant.pseudo...), varied.pseudo...)
	c.out = append(append(c.out, constant.regular...), varied.regular...)
	c.sendWindow -= int64(len(requestBody))
	for len(requestBody) > 0 {
		part := requestBody[:min(len(requestBody), maxFrame)]
		requestBody = requestBody[len(part):]
		flags := http2.Flags(0)
		if len(requestBody) == 0 {
			flags = http2.FlagDataEndStream
		}
		c.out = appendFrame(c.out, http2.FrameData, flags, id, len(part))
		c.out = append(c.out, part...)
	}
}

func (c *http2Conn) onFrame(kind http2.FrameType, flags http2.Flags, id uint32, payload []byte, now time.Time) error {
	switch kind {
	case http2.FrameData:
		return c.onData(flags, id, payload, now)
	case http2.FrameHeaders:
		payload, err := unpad(flags, payload)
		if err != nil {
			return err
		}
		if flags.Has(http2.FlagHeadersPriority) {
			if len(payload) < 5 {
				return errors.New("a HEADERS frame is too short")
			}
			payload = payload[5:]
		}
		c.fragment = append(c.fragment[:0], payload...)
		c.endsStream = flags.Has(http2.FlagHeadersEndStream)
		return c.onBlock(flags.Has(http2.FlagHeadersEndHeaders), id, now)
	case http2.FrameContinuation:
		c.fragment = append(c.fragment, payload...)
		return c.onBlock(flags.Has(http2.FlagContinuationEndHeaders), id, now)
	case http2.FrameRSTStream:
		if stream := c.find(id); stream != nil {
			c.complete(stream, now)
		}
	case http2.FrameSettings:
		if !flags.Has(http2.FlagSettingsAck) {
			c.out = appendFrame(c.out, http2.FrameSettings, http2.FlagSettingsAck, 0, 0)
			return c.onSettings(payload)
		}
	case http2.FramePing:
		if !flags.Has(http2.FlagPingAck) {
			c.out = appendFrame(c.out, http2.FramePing, http2.FlagPingAck, 0, len(payload))
			c.out = append(c.out, payload...)
		}
	case http2.FrameGoAway:
		return fmt.Errorf("the server sent GOAWAY %x", payload)
	case http2.FrameWindowUpdate:
		if id == 0 && len(payload) == 4 {
			c.sendWindow += int64(binary.BigEndian.Uint32(payload))
		}
	}
	return nil
}

func (c *http2Conn) onData(flags http2.Flags, id uint32, payload []byte, now time.Time) error {
	c.received += len(payload)
	if c.received > window/2 {
		c.appendWindowUpdate(c.received)
		c.received = 0
	}
	payload, err := unpad(flags, payload)
	if err != nil {
		return err
	}
	stream := c.find(id)
	if stream == nil {
		return fmt.Errorf("DATA on stream %d, which is not open", id)
	}
	stream.body.length += len(payload)
	if c.result.keepsBodies {
		stream.body.kept = append(stream.body.kept, payload...)
	}
	if flags.Has(http2.FlagDataEndStream) {
		c.complete(stream, now)
	}
	return nil
}

func (c *http2Conn) onBlock(isComplete bool, id uint32, now time.Time) error {
	if !isComplete {
		return nil
	}
	c.decoding = c.find(id)
	if c.decoding == nil {
		return fmt.Errorf("HEADERS on stream %d, which is not open", id)
	}
	if _, err := c.decoder.Write(c.fragment); err != nil {
		return err
	}
	if err := c.decoder.Close(); err != nil {
		return err
	}
	if c.endsStream {
		c.complete(c.decoding, now)
	}
	return nil
}

func (c *http2Conn) onHeader(field hpack.HeaderField) {
	switch field.Name {
	case ":status":
		c.decoding.status, _ = strconv.Atoi(field.Value)
	case "grpc-status":
		c.decoding.grpcStatus = field.Value
	}
}

// onSettings checks the settings that this client depends on.
func (c *http2Conn) onSettings(payload []byte) error {
	for ; len(payload) >= 6; payload = payload[6:] {
		value := int64(binary.BigEndian.Uint32(payload[2:]))
		switch id := http2.SettingID(binary.BigEndian.Uint16(payload)); {
		case id == http2.SettingMaxConcurrentStreams && value < int64(len(c.streams)),
			id == http2.SettingHeaderTableSize && value < 4096,
			id == http2.SettingInitialWindowSize && value < c.largest:
			return fmt.Errorf("the server sets %v to %d, which is too small", id, value)
		}
	}
	return nil
}

func (c *http2Conn) complete(stream *stream, now time.Time) {
	ok := stream.status == 200 && stream.body.length > 0 && (!c.work.GRPC || stream.grpcStatus == "0")
	c.result.add(response{index: stream.index, ok: ok, status: stream.status, body: stream.body.kept}, now.Sub(stream.started))
	stream.id = 0
	c.open--
}

// find returns the open stream with an id, or nil.
func (c *http2Conn) find(id uint32) *stream {
	for i := range c.streams {
		if c.streams[i].id == id {
			return &c.streams[i]
		}
	}
	return nil
}

func (c *http2Conn) appendWindowUpdate(increment int) {
	c.out = appendFrame(c.out, http2.FrameWindowUpdate, 0, 0, 4)
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(increment))
}

// unpad removes the padding of a DATA or HEADERS frame (RFC 9113, section 6.1). Both have the same flag for it.
func unpad(flags http2.Flags, payload []byte) ([]byte, error) {
	if !flags.Has(http2.FlagDataPadded) {
		return payload, nil
	}
	if len(payload) == 0 || len(payload) < 1+int(payload[0]) {
		return nil, errors.New("a frame is shorter than its padding")
	}
	return payload[1 : len(payload)-int(payload[0])], nil
}

func appendFrame(out []byte, kind http2.FrameType, flags http2.Flags, id uint32, length int) []byte {
	out = append(out, byte(length>>16), byte(length>>8), byte(length), byte(kind), byte(flags))
	return binary.BigEndian.AppendUint32(out, id)
}

// block is a part of a header block: the pseudo-header fields, which come first, and the others.
type block struct{ pseudo, regular []byte }

// blocks are the encoded headers. Constant ones are inserted into the server's dynamic table by the first request of a
// connection, and are one byte each from then on. Varied ones are not inserted, as with nghttp2.
type blocks struct {
	first, indexed block
	varied         []block
}

func encodeBlocks(work *workload) blocks {
	scheme := "http"
	if work.TLS {
		scheme = "https"
	}
	pseudo := [][2]string{{":method", work.Method}, {":scheme", scheme}, {":authority", work.Authority}}
	path := work.Requests[0].Path
	sharesPath := true
	for _, request := range work.Requests {
		sharesPath = sharesPath && request.Path == path
	}
	if sharesPath {
		pseudo = append(pseudo, [2]string{":path", path})
	}
	var buffer bytes.Buffer
	encoder := hpack.NewEncoder(&buffer)
	encode := func(fields [][2]string) []byte {
		buffer.Reset()
		for _, field := range fields {
			encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
		}
		return bytes.Clone(buffer.Bytes())
	}
	result := blocks{varied: make([]block, len(work.Requests))}
	result.first = block{encode(pseudo), encode(work.Headers)}
	result.indexed = block{encode(pseudo), encode(work.Headers)}
	for i, request := range work.Requests {
		if !sharesPath {
			result.varied[i].pseudo = appendLiteral([]byte{pathField}, request.Path)
		}
		if len(request.Body) > 0 && !work.GRPC {
			length := strconv.Itoa(len(request.Body))
			result.varied[i].regular = appendLiteral([]byte{0x0f, contentLengthField - 0x0f}, length)
		}
	}
	return result
}

// Indexes of the static table (RFC 7541, appendix A).
const (
	pathField          = 4
	contentLengthField = 28
)

// appendLiteral appends the value of a literal field without indexing (RFC 7541, section 6.2.2).
func appendLiteral(out []byte, value string) []byte {
	if length := hpack.HuffmanEncodeLength(value); length < uint64(len(value)) && length < 0x7f {
		return hpack.AppendHuffmanString(append(out, 0x80|byte(length)), value)
	}
	if len(value) >= 0x7f {
		panic("a header value is too long")
	}
	return append(append(out, byte(len(value))), value...)
}
