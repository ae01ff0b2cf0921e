// Calls the service with grpc-go. See ../grpc-clients.mjs for the arguments and the output.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
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

type client struct {
	connection        *grpc.ClientConn
	request, response protoreflect.MessageDescriptor
}

func main() {
	mode, target, protos, certificate := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	c, err := connect(target, protos, certificate)
	if err != nil {
		panic(err)
	}
	switch mode {
	case "calls":
		c.calls()
	case "load":
		seconds, err := strconv.Atoi(os.Args[5])
		if err != nil {
			panic(err)
		}
		c.load(time.Duration(seconds) * time.Second)
	}
}

func connect(target, protos, certificate string) (*client, error) {
	bytes, err := os.ReadFile(protos)
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := (proto.UnmarshalOptions{Resolver: &protoregistry.Types{}}).Unmarshal(bytes, &set); err != nil {
		return nil, err
	}
	files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(&set)
	if err != nil {
		return nil, err
	}
	message := func(name protoreflect.FullName) protoreflect.MessageDescriptor {
		found, err := files.FindDescriptorByName(name)
		if err != nil {
			panic(err)
		}
		return found.(protoreflect.MessageDescriptor)
	}
	security := insecure.NewCredentials()
	if certificate != "" {
		pem, err := os.ReadFile(certificate)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		security = credentials.NewTLS(&tls.Config{RootCAs: pool})
	}
	connection, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(security),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	return &client{
		connection: connection,
		request:    message("utilitytools.v1.LookupIpRequest"),
		response:   message("utilitytools.v1.LookupIpResponse"),
	}, err
}

func report(name string, holds bool, found any) {
	line, _ := json.Marshal(map[string]any{"name": name, "holds": holds, "found": fmt.Sprint(found)})
	fmt.Println(string(line))
}

// lookUp returns the address and the number of the autonomous system in the response.
func (c *client) lookUp(ctx context.Context, address string) (string, uint64, error) {
	request := dynamicpb.NewMessage(c.request)
	request.Set(c.request.Fields().ByName("ip_address"), protoreflect.ValueOfString(address))
	response := dynamicpb.NewMessage(c.response)
	if err := c.connection.Invoke(ctx, lookupIp, request, response); err != nil {
		return "", 0, err
	}
	metadata := response.Get(c.response.Fields().ByName("metadata")).Message()
	asn := metadata.Get(metadata.Descriptor().Fields().ByName("asn"))
	number, _ := strconv.ParseUint(asn.String(), 10, 64)
	return response.Get(c.response.Fields().ByName("ip")).String(), number, nil
}

func (c *client) isRight(ctx context.Context, address string, asn uint64) error {
	ip, found, err := c.lookUp(ctx, address)
	if err == nil && (ip != address || (asn != 0 && found != asn)) {
		err = fmt.Errorf("%s has AS%d", ip, found)
	}
	return err
}

func (c *client) calls() {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()

	err := c.isRight(ctx, "8.8.8.8", 15169)
	report("unary call", err == nil, err)

	err = c.isRight(ctx, "nonsense", 0)
	reason := ""
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			reason = info.Reason
		}
	}
	report("error with details", status.Code(err) == codes.InvalidArgument && reason == "INVALID_PARAMETERS", fmt.Sprint(err, reason))

	code, first := c.watch(ctx, true)
	report("deadline of a stream", code == codes.DeadlineExceeded && first == "SERVING", fmt.Sprint(code, first))

	var group sync.WaitGroup
	wrong := make(chan string, 2000)
	for range 100 {
		group.Go(func() {
			if code, first := c.watch(ctx, false); code != codes.Canceled || first != "SERVING" {
				wrong <- fmt.Sprint(code, first)
			}
		})
	}
	group.Wait()
	err = c.isRight(ctx, "8.8.8.8", 15169)
	report("cancellation of 100 streams, then a call", err == nil && len(wrong) == 0, fmt.Sprint(err, len(wrong)))

	for number := range 1000 {
		group.Go(func() {
			if err := c.isRight(ctx, fmt.Sprintf("8.8.%d.%d", number/250, number%250+1), 0); err != nil {
				wrong <- err.Error()
			}
		})
	}
	group.Wait()
	found := ""
	if len(wrong) > 0 {
		found = fmt.Sprint(len(wrong), <-wrong)
	}
	report("1,000 concurrent calls", found == "", found)

	services, err := c.services(ctx)
	report("reflection", services["utilitytools.v1.GeoIpService"], fmt.Sprint(services, err))
}

// watch returns the status that ends a stream, and its first message. Without a deadline, it cancels the stream.
func (c *client) watch(ctx context.Context, hasDeadline bool) (codes.Code, string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if hasDeadline {
		ctx, cancel = context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
	}
	stream, err := grpc_health_v1.NewHealthClient(c.connection).Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		return status.Code(err), ""
	}
	first, err := stream.Recv()
	if err != nil {
		return status.Code(err), ""
	}
	if !hasDeadline {
		cancel()
	}
	_, err = stream.Recv()
	return status.Code(err), first.Status.String()
}

func (c *client) services(ctx context.Context) (map[string]bool, error) {
	stream, err := grpc_reflection_v1.NewServerReflectionClient(c.connection).ServerReflectionInfo(ctx)
	if err != nil {
		return nil, err
	}
	request := &grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	}
	if err := stream.Send(request); err != nil {
		return nil, err
	}
	response, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	services := map[string]bool{}
	for _, service := range response.GetListServicesResponse().GetService() {
		services[service.Name] = true
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	return services, nil
}

// load calls from 16 goroutines, and reports the number of calls and of each failure.
func (c *client) load(duration time.Duration) {
	end := time.Now().Add(duration)
	var mutex sync.Mutex
	calls := 0
	failures := map[string]int{}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for time.Now().Before(end) {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				err := c.isRight(ctx, "8.8.8.8", 15169)
				cancel()
				mutex.Lock()
				calls++
				if err != nil {
					failures[err.Error()]++
				}
				mutex.Unlock()
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	group.Wait()
	line, _ := json.Marshal(map[string]any{"calls": calls, "failures": failures})
	fmt.Println(string(line))
}
