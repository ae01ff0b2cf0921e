// Command upstream is a gRPC server that returns what it receives, for every service of a descriptor set: upstream PORT DESCRIPTORS.
// README.md describes the metadata that it understands.
package main

import (
	"encoding/base64"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	rpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/emptypb"
)

func main() {
	bytes, err := os.ReadFile(os.Args[2])
	must(err)
	set := &descriptorpb.FileDescriptorSet{}
	must(proto.Unmarshal(bytes, set))
	files, err := protodesc.NewFiles(set)
	must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	must(err)
	server := grpc.NewServer(grpc.UnknownServiceHandler(mirror))
	services := services{}
	files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			services[string(file.Services().Get(i).FullName())] = grpc.ServiceInfo{}
		}
		return true
	})
	options := reflection.ServerOptions{Services: services, DescriptorResolver: files}
	reflectionv1.RegisterServerReflectionServer(server, reflection.NewServerV1(options))
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		<-stop
		server.GracefulStop()
	}()
	must(server.Serve(listener))
}

type services map[string]grpc.ServiceInfo

func (s services) GetServiceInfo() map[string]grpc.ServiceInfo { return s }

// An emptypb.Empty has all fields of a message as unknown ones.
func mirror(_ any, stream grpc.ServerStream) error {
	md, _ := metadata.FromIncomingContext(stream.Context())
	value := func(name string) string { return strings.Join(md.Get(name), ",") }
	number := func(name string, otherwise int) int {
		if parsed, err := strconv.Atoi(value(name)); err == nil {
			return parsed
		}
		return otherwise
	}
	select {
	case <-time.After(time.Duration(number("x-sleep", 0)) * time.Millisecond):
	case <-stream.Context().Done():
		return rpcstatus.FromContextError(stream.Context().Err()).Err()
	}
	timeout := "none"
	if deadline, ok := stream.Context().Deadline(); ok {
		timeout = strconv.FormatInt(time.Until(deadline).Milliseconds(), 10)
	}
	method, _ := grpc.MethodFromServerStream(stream)
	header := metadata.Pairs("x-timeout", timeout, "x-method", method)
	if echo := value("x-echo"); echo != "" {
		header.Set("x-echo", echo)
		stream.SetTrailer(metadata.Pairs("x-echo-trailer", echo))
	}
	responses := md.Get("x-respond")
	times := number("x-times", 1)
	if len(md.Get("x-fail")) > 0 {
		times = number("x-times", 0)
	}
	var received []string
	for {
		message := &emptypb.Empty{}
		if err := stream.RecvMsg(message); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if len(responses) == 0 && times > 0 {
			stream.SetHeader(header)
			header = nil
			for range times {
				if err := stream.SendMsg(message); err != nil {
					return err
				}
			}
		}
		bytes, err := proto.Marshal(message)
		must(err)
		received = append(received, base64.StdEncoding.EncodeToString(bytes))
	}
	if header != nil {
		header.Set("x-received", "["+strings.Join(received, ";")+"]")
		stream.SetHeader(header)
	}
	if len(responses) > 0 {
		for _, each := range strings.Split(strings.Trim(value("x-respond"), "[]"), ";") {
			if each == "=" && len(received) == 0 {
				break
			} else if each == "=" {
				each = received[len(received)-1]
			}
			message := &emptypb.Empty{}
			bytes, err := base64.StdEncoding.DecodeString(each)
			must(err)
			must(proto.Unmarshal(bytes, message))
			if err := stream.SendMsg(message); err != nil {
				return err
			}
		}
	}
	if fail, err := base64.StdEncoding.DecodeString(value("x-fail")); len(fail) > 0 {
		must(err)
		status := &status.Status{}
		must(proto.Unmarshal(fail, status))
		return rpcstatus.ErrorProto(status)
	}
	return nil
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
