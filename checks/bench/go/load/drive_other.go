//go:build !linux

package main

import "net"

// drivePlain runs all exchanges over connections without TLS.
func drivePlain(conns []net.Conn, exchanges []exchange) error {
	return drive(conns, exchanges)
}
