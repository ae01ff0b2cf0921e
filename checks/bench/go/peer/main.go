// Command peer is a server with LookupIp in Go, for comparison: `peer grpc-go` or `peer connect-go`. It prints its URL when it
// is ready. With TLS_CERT_FILE and TLS_KEY_FILE it uses TLS.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	streams "bench/gen/bench/v1"
	pb "bench/gen/utilitytools/v1"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run() error {
	data, err := openGeoIP(os.Getenv("GEOIP_DATA"))
	if err != nil {
		return err
	}
	var config *tls.Config
	scheme := "http"
	if file := os.Getenv("TLS_CERT_FILE"); file != "" {
		pair, err := tls.LoadX509KeyPair(file, os.Getenv("TLS_KEY_FILE"))
		if err != nil {
			return err
		}
		config = &tls.Config{Certificates: []tls.Certificate{pair}}
		scheme = "https"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	name := os.Args[len(os.Args)-1]
	fmt.Printf("%s is ready on %s://%s\n", name, scheme, listener.Addr())
	switch name {
	case "grpc-go":
		return serveGRPC(listener, config, data)
	case "connect-go":
		return serveConnect(listener, config, data)
	}
	return fmt.Errorf("there is no peer %q", name)
}

type grpcService struct {
	pb.UnimplementedGeoIpServiceServer
	data *geoIP
}

func (s *grpcService) LookupIp(_ context.Context, request *pb.LookupIpRequest) (*pb.LookupIpResponse, error) {
	response, err := s.data.lookup(request.IpAddress)
	if err != nil {
		return nil, status.Error(codes.NotFound, err.Error())
	}
	return response, nil
}

func serveGRPC(listener net.Listener, config *tls.Config, data *geoIP) error {
	var options []grpc.ServerOption
	if config != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(config)))
	}
	server := grpc.NewServer(options...)
	pb.RegisterGeoIpServiceServer(server, &grpcService{data: data})
	streams.RegisterStreamServiceServer(server, &streamService{})
	return server.Serve(listener)
}

// jsonCodec writes fields with default values, as the service does.
type jsonCodec struct{}

func (jsonCodec) Name() string { return "json" }

func (jsonCodec) Marshal(message any) ([]byte, error) {
	return protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(message.(proto.Message))
}

func (jsonCodec) Unmarshal(text []byte, message any) error {
	return protojson.Unmarshal(text, message.(proto.Message))
}

func serveConnect(listener net.Listener, config *tls.Config, data *geoIP) error {
	mux := http.NewServeMux()
	mux.Handle(pb.GeoIpService_LookupIp_FullMethodName, connect.NewUnaryHandler(
		pb.GeoIpService_LookupIp_FullMethodName,
		func(_ context.Context, request *connect.Request[pb.LookupIpRequest]) (*connect.Response[pb.LookupIpResponse], error) {
			response, err := data.lookup(request.Msg.IpAddress)
			if err != nil {
				return nil, connect.NewError(connect.CodeNotFound, err)
			}
			return connect.NewResponse(response), nil
		},
		connect.WithCodec(jsonCodec{}),
	))
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: mux, Protocols: protocols, TLSConfig: config}
	var err error
	if config == nil {
		err = server.Serve(listener)
	} else {
		err = server.ServeTLS(listener, "", "")
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
