package main

import (
	"fmt"
	"io"

	streams "bench/gen/bench/v1"

	"google.golang.org/grpc"
)

type streamService struct {
	streams.UnimplementedStreamServiceServer
}

func (*streamService) List(request *streams.ListRequest, out grpc.ServerStreamingServer[streams.Item]) error {
	for i := uint32(0); i < request.Count; i++ {
		text := fmt.Sprintf("%s-%d", request.Prefix, 1_000_000_000+i)
		if err := out.Send(&streams.Item{Text: text, Number: i + 1}); err != nil {
			return err
		}
	}
	return nil
}

func (*streamService) Collect(in grpc.ClientStreamingServer[streams.Item, streams.Total]) error {
	total := &streams.Total{}
	for {
		item, err := in.Recv()
		if err == io.EOF {
			return in.SendAndClose(total)
		}
		if err != nil {
			return err
		}
		total.Count++
		total.Length += uint32(len(item.Text))
		total.Sum += item.Number
	}
}

func (*streamService) Echo(both grpc.BidiStreamingServer[streams.Item, streams.Item]) error {
	for {
		item, err := both.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := both.Send(&streams.Item{Text: item.Text, Number: item.Number}); err != nil {
			return err
		}
	}
}
