// Command peer is a grpc-go server with LookupIp, for comparison. It prints its URL when it is ready. With TLS_CERT_FILE and
// TLS_KEY_FILE it uses TLS.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	streams "bench/gen/bench/v1"
	pb "bench/gen/utilitytools/v1"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
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
	var options []grpc.ServerOption
	scheme := "http"
	if file := os.Getenv("TLS_CERT_FILE"); file != "" {
		config, err := credentials.NewServerTLSFromFile(file, os.Getenv("TLS_KEY_FILE"))
		if err != nil {
			return err
		}
		options = append(options, grpc.Creds(config))
		scheme = "https"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("grpc-go is ready on %s://%s\n", scheme, listener.Addr())
	server := grpc.NewServer(options...)
	pb.RegisterGeoIpServiceServer(server, &grpcService{data: data})
	streams.RegisterStreamServiceServer(server, &streamService{})
	return server.Serve(listener)
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
