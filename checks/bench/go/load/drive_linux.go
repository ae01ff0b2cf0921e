package main

import (
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// poller runs exchanges over connections without TLS in one goroutine. Goroutines that wait for a connection each would cost
// two more system calls per request.
type poller struct {
	epoll     int
	files     []int
	exchanges []exchange
	open      int
	// isWaiting is set for a connection that does not take more bytes at the moment.
	isWaiting []bool
}

// drivePlain runs all exchanges over connections without TLS.
func drivePlain(conns []net.Conn, exchanges []exchange) error {
	epoll, err := syscall.EpollCreate1(0)
	if err != nil {
		return err
	}
	defer syscall.Close(epoll)
	p := &poller{epoll: epoll, exchanges: exchanges, open: len(conns), isWaiting: make([]bool, len(conns))}
	for i, conn := range conns {
		file, err := conn.(*net.TCPConn).File()
		if err != nil {
			return err
		}
		defer file.Close()
		// The file is a duplicate. The original belongs to the poller of the runtime.
		conn.Close()
		fd := int(file.Fd())
		if err := syscall.SetNonblock(fd, true); err != nil {
			return err
		}
		p.files = append(p.files, fd)
		if err := p.control(syscall.EPOLL_CTL_ADD, i, syscall.EPOLLIN); err != nil {
			return err
		}
	}
	for i, exchange := range exchanges {
		if err := exchange.start(time.Now()); err != nil {
			return err
		}
		if err := p.send(i); err != nil {
			return err
		}
	}
	return p.run()
}

func (p *poller) control(operation, index int, events uint32) error {
	event := syscall.EpollEvent{Events: events, Fd: int32(index)}
	return syscall.EpollCtl(p.epoll, operation, p.files[index], &event)
}

func (p *poller) run() error {
	events := make([]syscall.EpollEvent, len(p.files))
	chunk := make([]byte, chunkSize)
	for p.open > 0 {
		n, err := syscall.EpollWait(p.epoll, events, int(timeout.Milliseconds()))
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("the server sends nothing")
		}
		for _, event := range events[:n] {
			index := int(event.Fd)
			if event.Events&^syscall.EPOLLOUT != 0 {
				if err := p.receive(index, chunk); err != nil {
					return err
				}
			}
			if err := p.send(index); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *poller) receive(index int, chunk []byte) error {
	n, err := syscall.Read(p.files[index], chunk)
	if errors.Is(err, syscall.EAGAIN) {
		return nil
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return io.ErrUnexpectedEOF
	}
	return p.exchanges[index].receive(chunk[:n], time.Now())
}

// send writes the output of an exchange, as far as the connection takes it.
func (p *poller) send(index int) error {
	out := p.exchanges[index].output()
	if len(*out) > 0 {
		n, err := syscall.Write(p.files[index], *out)
		if err != nil && !errors.Is(err, syscall.EAGAIN) {
			return err
		}
		p.exchanges[index].wrote(max(n, 0))
		*out = (*out)[:copy(*out, (*out)[max(n, 0):])]
	}
	if isWaiting := len(*out) > 0; isWaiting != p.isWaiting[index] {
		p.isWaiting[index] = isWaiting
		events := uint32(syscall.EPOLLIN)
		if isWaiting {
			events |= syscall.EPOLLOUT
		}
		if err := p.control(syscall.EPOLL_CTL_MOD, index, events); err != nil {
			return err
		}
	}
	if len(*out) == 0 && p.exchanges[index].isDone() {
		p.open--
		return p.control(syscall.EPOLL_CTL_DEL, index, 0)
	}
	return nil
}
