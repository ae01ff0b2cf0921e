// Command vanguard serves a gRPC server by vanguard-go: vanguard PORT UPSTREAM DESCRIPTORS SERVICE…
package main

import (
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"

	"connectrpc.com/vanguard"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

func main() {
	bytes, err := os.ReadFile(os.Args[3])
	must(err)
	set := &descriptorpb.FileDescriptorSet{}
	must(proto.Unmarshal(bytes, set))
	files, err := protodesc.NewFiles(set)
	must(err)
	target, err := url.Parse(os.Args[2])
	must(err)
	cleartext := &http.Protocols{}
	cleartext.SetUnencryptedHTTP2(true)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{Protocols: cleartext}
	proxy.FlushInterval = -1
	var services []*vanguard.Service
	for _, name := range os.Args[4:] {
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
	server := &http.Server{Addr: "127.0.0.1:" + os.Args[1], Handler: handler, Protocols: both}
	must(server.ListenAndServe())
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
