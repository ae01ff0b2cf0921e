// Command vanguard serves a gRPC server by vanguard-go.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"

	"connectrpc.com/vanguard"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

func main() {
	port := flag.Int("port", 0, "")
	upstream := flag.String("upstream", "", "")
	descriptors := flag.String("descriptors", "", "")
	names := flag.String("services", "", "")
	flag.Parse()
	bytes, err := os.ReadFile(*descriptors)
	must(err)
	set := &descriptorpb.FileDescriptorSet{}
	must(proto.Unmarshal(bytes, set))
	files, err := protodesc.NewFiles(set)
	must(err)
	target, err := url.Parse(*upstream)
	must(err)
	cleartext := &http.Protocols{}
	cleartext.SetUnencryptedHTTP2(true)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{Protocols: cleartext}
	proxy.FlushInterval = -1
	var services []*vanguard.Service
	for _, name := range strings.Split(*names, ",") {
		found, err := files.FindDescriptorByName(protoreflect.FullName(name))
		must(err)
		services = append(services, vanguard.NewServiceWithSchema(
			found.(protoreflect.ServiceDescriptor),
			proxy,
			vanguard.WithTargetProtocols(vanguard.ProtocolGRPC),
			vanguard.WithTargetCodecs(vanguard.CodecProto),
			vanguard.WithNoTargetCompression(),
			vanguard.WithTypeResolver(dynamicpb.NewTypes(files)),
		))
	}
	handler, err := vanguard.NewTranscoder(services)
	must(err)
	both := &http.Protocols{}
	both.SetHTTP1(true)
	both.SetUnencryptedHTTP2(true)
	server := &http.Server{Addr: fmt.Sprintf("127.0.0.1:%d", *port), Handler: handler, Protocols: both}
	must(server.ListenAndServe())
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
