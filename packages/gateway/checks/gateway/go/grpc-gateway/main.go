//go:build grpcgateway

// Command grpc-gateway serves a gRPC server by handlers of grpc-gateway: those of its own examples, and those of `proto/`. It is built
// within a copy of its module, since the packages of the examples are internal. It writes the descriptors of the examples.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	mirror "github.com/grpc-ecosystem/grpc-gateway/v2/examples/internal/peer/gen/mirror/v1"
	vanguard "github.com/grpc-ecosystem/grpc-gateway/v2/examples/internal/peer/gen/vanguard/test/v1"
	"github.com/grpc-ecosystem/grpc-gateway/v2/examples/internal/proto/examplepb"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

var handlers = map[string]func(context.Context, *runtime.ServeMux, *grpc.ClientConn) error{
	"mirror.v1.Mirror":                   mirror.RegisterMirrorHandler,
	"mirror.v1.Parameters":               mirror.RegisterParametersHandler,
	"vanguard.test.v1.LibraryService":    vanguard.RegisterLibraryServiceHandler,
	examples + "ABitOfEverythingService": examplepb.RegisterABitOfEverythingServiceHandler,
	examples + "EchoService":             examplepb.RegisterEchoServiceHandler,
	examples + "ExcessBodyService":       examplepb.RegisterExcessBodyServiceHandler,
	examples + "FlowCombination":         examplepb.RegisterFlowCombinationHandler,
	examples + "NonStandardService":      examplepb.RegisterNonStandardServiceHandler,
	examples + "OpaqueEcommerceService":  examplepb.RegisterOpaqueEcommerceServiceHandler,
	examples + "ResponseBodyService":     examplepb.RegisterResponseBodyServiceHandler,
	examples + "StreamService":           examplepb.RegisterStreamServiceHandler,
	examples + "WrappersService":         examplepb.RegisterWrappersServiceHandler,
}

const examples = "grpc.gateway.examples.internal.proto.examplepb."

func main() {
	port := flag.Int("port", 0, "")
	upstream := flag.String("upstream", "", "")
	services := flag.String("services", "", "")
	write := flag.String("write-descriptors", "", "")
	flag.Parse()
	if *write != "" {
		set := &descriptorpb.FileDescriptorSet{}
		known := map[string]bool{}
		var add func(protoreflect.FileDescriptor)
		add = func(file protoreflect.FileDescriptor) {
			for i := range file.Imports().Len() {
				add(file.Imports().Get(i).FileDescriptor)
			}
			if !known[file.Path()] {
				known[file.Path()] = true
				set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
			}
		}
		add(errdetails.File_google_rpc_error_details_proto)
		add(examplepb.File_examples_internal_proto_examplepb_echo_service_proto)
		add(examplepb.File_examples_internal_proto_examplepb_excess_body_proto)
		add(examplepb.File_examples_internal_proto_examplepb_flow_combination_proto)
		add(examplepb.File_examples_internal_proto_examplepb_non_standard_names_proto)
		add(examplepb.File_examples_internal_proto_examplepb_opaque_proto)
		add(examplepb.File_examples_internal_proto_examplepb_response_body_service_proto)
		add(examplepb.File_examples_internal_proto_examplepb_stream_proto)
		add(examplepb.File_examples_internal_proto_examplepb_wrappers_proto)
		bytes, err := proto.Marshal(set)
		must(err)
		must(os.WriteFile(*write, bytes, 0o644))
		return
	}
	connection, err := grpc.NewClient(*upstream, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	// Headers of the suite pass unchanged.
	keep := func(otherwise runtime.HeaderMatcherFunc) runtime.HeaderMatcherFunc {
		return func(key string) (string, bool) {
			if strings.HasPrefix(strings.ToLower(key), "x-") {
				return key, true
			}
			return otherwise(key)
		}
	}
	mux := runtime.NewServeMux(
		runtime.WithIncomingHeaderMatcher(keep(runtime.DefaultHeaderMatcher)),
		runtime.WithOutgoingHeaderMatcher(keep(func(string) (string, bool) { return "", false })),
	)
	for _, name := range strings.Split(*services, ",") {
		if register := handlers[name]; register != nil {
			must(register(context.Background(), mux, connection))
		}
	}
	must(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), mux))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
