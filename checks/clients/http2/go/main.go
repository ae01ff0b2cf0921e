// Calls the service with grpc-go. See ../grpc-clients.mjs for the arguments and the output.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

const lookupIp = "/utilitytools.v1.GeoIpService/LookupIp"
const workers = 16

type call struct {
	Addresses []string
	Watches   int
	Timeout   int
	Seconds   int
}

type client struct {
	connection        *grpc.ClientConn
	request, response protoreflect.MessageDescriptor
}

func main() {
	var calls []call
	check(json.Unmarshal([]byte(os.Args[1]), &calls))
	c := connect(os.Args[2], os.Args[3], os.Args[4])
	output := json.NewEncoder(os.Stdout)
	for _, each := range calls {
		check(output.Encode(c.run(each)))
	}
}

func (c *client) run(each call) any {
	switch {
	case each.Addresses != nil:
		return atOnce(len(each.Addresses), func(index int) string { return c.lookUp(each.Addresses[index]) })
	case each.Watches > 0:
		timeout := time.Duration(each.Timeout) * time.Millisecond
		return atOnce(each.Watches, func(int) string { return c.watch(timeout) })
	case each.Seconds > 0:
		return c.load(time.Duration(each.Seconds) * time.Second)
	}
	return c.services()
}

// atOnce returns the results of a function that runs several times at once.
func atOnce(count int, run func(index int) string) []string {
	results := make([]string, count)
	var group sync.WaitGroup
	for index := range count {
		group.Go(func() { results[index] = run(index) })
	}
	group.Wait()
	return results
}

func connect(target, protos, certificate string) *client {
	var set descriptorpb.FileDescriptorSet
	check(proto.UnmarshalOptions{Resolver: &protoregistry.Types{}}.Unmarshal(must(os.ReadFile(protos)), &set))
	files := must(protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(&set))
	message := func(name protoreflect.FullName) protoreflect.MessageDescriptor {
		return must(files.FindDescriptorByName(name)).(protoreflect.MessageDescriptor)
	}
	security := insecure.NewCredentials()
	if certificate != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(must(os.ReadFile(certificate)))
		security = credentials.NewTLS(&tls.Config{RootCAs: pool})
	}
	connection := must(grpc.NewClient(target,
		grpc.WithTransportCredentials(security),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true))))
	return &client{
		connection: connection,
		request:    message("utilitytools.v1.LookupIpRequest"),
		response:   message("utilitytools.v1.LookupIpResponse"),
	}
}

func (c *client) lookUp(address string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	request := dynamicpb.NewMessage(c.request)
	request.Set(c.request.Fields().ByName("ip_address"), protoreflect.ValueOfString(address))
	response := dynamicpb.NewMessage(c.response)
	if err := c.connection.Invoke(ctx, lookupIp, request, response); err != nil {
		reason := err.Error()
		for _, detail := range status.Convert(err).Details() {
			if info, ok := detail.(*errdetails.ErrorInfo); ok {
				reason = info.Reason
			}
		}
		return codeOf(err) + " " + reason
	}
	metadata := response.Get(c.response.Fields().ByName("metadata")).Message()
	asn := metadata.Get(metadata.Descriptor().Fields().ByName("asn"))
	return response.Get(c.response.Fields().ByName("ip")).String() + " " + asn.String()
}

// codeOf returns the name of a code as the other languages write it.
func codeOf(err error) string {
	return code.Code(status.Code(err)).String()
}

// watch returns the messages of a stream and the status that ends it. Without a timeout, it cancels the stream after the first one.
func (c *client) watch(timeout time.Duration) string {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	stream, err := grpc_health_v1.NewHealthClient(c.connection).Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	ends := []string{}
	for err == nil {
		var message *grpc_health_v1.HealthCheckResponse
		if message, err = stream.Recv(); err == nil {
			ends = append(ends, message.Status.String())
			if timeout == 0 {
				cancel()
			}
		}
	}
	return strings.Join(append(ends, codeOf(err)), " ")
}

func (c *client) services() []string {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	stream := must(grpc_reflection_v1.NewServerReflectionClient(c.connection).ServerReflectionInfo(ctx))
	check(stream.Send(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	}))
	response := must(stream.Recv())
	check(stream.CloseSend())
	names := []string{}
	for _, service := range response.GetListServicesResponse().GetService() {
		names = append(names, service.Name)
	}
	return names
}

// load counts the outcomes of calls.
func (c *client) load(duration time.Duration) map[string]int {
	end := time.Now().Add(duration)
	var mutex sync.Mutex
	outcomes := map[string]int{}
	atOnce(workers, func(int) string {
		for time.Now().Before(end) {
			outcome := c.lookUp("8.8.8.8")
			mutex.Lock()
			outcomes[outcome]++
			mutex.Unlock()
			time.Sleep(5 * time.Millisecond)
		}
		return ""
	})
	return outcomes
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
