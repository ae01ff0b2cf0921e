// Command interop is the server of gRPC's interop tests with reflection: interop PORT [CERTIFICATE KEY]. With a name in the place of the
// port, it writes the descriptors of the tests to this file instead.
package main

import (
	"log"
	"net"
	"os"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/interop"
	testing "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/reflection"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

func main() {
	if _, err := strconv.Atoi(os.Args[1]); err != nil {
		set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
			protodesc.ToFileDescriptorProto(testing.File_grpc_testing_empty_proto),
			protodesc.ToFileDescriptorProto(testing.File_grpc_testing_messages_proto),
			protodesc.ToFileDescriptorProto(testing.File_grpc_testing_test_proto),
		}}
		bytes, err := proto.Marshal(set)
		must(err)
		must(os.WriteFile(os.Args[1], bytes, 0o644))
		return
	}
	var options []grpc.ServerOption
	if len(os.Args) > 2 {
		tls, err := credentials.NewServerTLSFromFile(os.Args[2], os.Args[3])
		must(err)
		options = append(options, grpc.Creds(tls))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	must(err)
	server := grpc.NewServer(options...)
	testing.RegisterTestServiceServer(server, interop.NewTestServer())
	reflection.Register(server)
	must(server.Serve(listener))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
