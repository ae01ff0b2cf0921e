"""Makes the calls of a table with grpcio: client.py PORT DESCRIPTORS [CERTIFICATES]. Reads the table from standard input, and writes the results."""

import base64
import json
import queue
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

port, descriptors, *certificates = sys.argv[1:]
pool = descriptor_pool.DescriptorPool()
with open(descriptors, "rb") as file:
    for each in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
        pool.Add(each)

target = f"127.0.0.1:{port}"
if certificates:
    with open(certificates[0], "rb") as file:
        credentials = grpc.ssl_channel_credentials(file.read())
    name = (("grpc.ssl_target_name_override", "foo.test.google.fr"),)
    channel = grpc.secure_channel(target, credentials, options=name)
else:
    channel = grpc.insecure_channel(target)


def metadata_of(given):
    for name, value in given.items():
        yield name, base64.b64decode(value) if name.endswith("-bin") else value


def call(path, requests, conversation=False, cancelAfter=None, timeout=None, metadata={}, gzip=False, **_):
    service, name = path[1:].split("/")
    method = pool.FindServiceByName(service).FindMethodByName(name)
    kind = message_factory.GetMessageClass(method.input_type)
    messages = [json_format.ParseDict(each, kind()) for each in requests]
    stub = channel.stream_stream(
        path,
        request_serializer=kind.SerializeToString,
        response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
    )
    sending = queue.Queue()
    for each in messages[:1] if conversation else messages:
        sending.put(each)
    if not conversation and cancelAfter is None:
        sending.put(None)
    responses = stub(
        iter(sending.get, None),
        timeout=timeout and timeout / 1000,
        metadata=tuple(metadata_of(metadata)),
        compression=grpc.Compression.Gzip if gzip else None,
    )
    found = {"sizes": []}
    try:
        if cancelAfter == 0:
            responses.cancel()
        for response in responses:
            found["sizes"].append(len(response.payload.body) if hasattr(response, "payload") else 0)
            if hasattr(response, "aggregated_payload_size"):
                found["sum"] = response.aggregated_payload_size
            count = len(found["sizes"])
            if cancelAfter == count:
                responses.cancel()
            elif conversation:
                sending.put(messages[count] if count < len(messages) else None)
    except grpc.RpcError:
        found["message"] = responses.details()
    sending.put(None)
    found["code"] = responses.code().value[0]
    if metadata:
        found["header"] = dict(responses.initial_metadata()).get("x-grpc-test-echo-initial")
        trailer = dict(responses.trailing_metadata()).get("x-grpc-test-echo-trailing-bin", b"")
        found["trailer"] = base64.b64encode(trailer).decode()
    return found


json.dump([call(**each) for each in json.load(sys.stdin)], sys.stdout)
