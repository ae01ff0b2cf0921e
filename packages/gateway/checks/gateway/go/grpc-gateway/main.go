//go:build grpcgateway

// Command grpc-gateway serves the gRPC server of proto/mirror by handlers of grpc-gateway, whose code is generated before it is built.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"

	mirror "gateway/gen/mirror/v1"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	port := flag.Int("port", 0, "")
	upstream := flag.String("upstream", "", "")
	flag.Parse()
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
	must(mirror.RegisterMirrorHandler(context.Background(), mux, connection))
	must(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), mux))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
