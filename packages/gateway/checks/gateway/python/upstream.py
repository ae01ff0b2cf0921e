"""The server of go/upstream in Python: upstream.py PORT DESCRIPTORS"""

import base64
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_reflection.v1alpha import reflection

port, path = sys.argv[1:]
with open(path, "rb") as file:
    descriptors = descriptor_pb2.FileDescriptorSet.FromString(file.read())
pool = descriptor_pool.DescriptorPool()
for each in descriptors.file:
    pool.Add(each)
services = [f"{file.package}.{service.name}" for file in descriptors.file for service in file.service]


def mirror(requests, context):
    metadata = dict(context.invocation_metadata())
    time.sleep(int(metadata.get("x-sleep", 0)) / 1000)
    left = context.time_remaining()
    timeout = "none" if left is None or left > 1e6 else str(int(left * 1000))
    echo = [metadata["x-echo"]] if "x-echo" in metadata else []
    context.send_initial_metadata([("x-timeout", timeout), *(("x-echo", value) for value in echo)])
    trailers = [("x-echo-trailer", value) for value in echo]
    context.set_trailing_metadata(trailers)
    fail = metadata.get("x-fail")
    times = int(metadata.get("x-times", 1 if fail is None else 0))
    for request in requests:
        for _ in range(times):
            yield request
    if fail is not None:
        context.set_trailing_metadata([*trailers, ("grpc-status-details-bin", base64.b64decode(fail))])
        context.set_code(grpc.StatusCode.FAILED_PRECONDITION)
        context.set_details("the mirror is broken: 100 %, “really”")


class AllMethods(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method.startswith("/mirror."):
            return grpc.stream_stream_rpc_method_handler(mirror)
        return None


server = grpc.server(ThreadPoolExecutor(32))
server.add_generic_rpc_handlers([AllMethods()])
reflection.enable_server_reflection([*services, reflection.SERVICE_NAME], server, pool=pool)
server.add_insecure_port(f"127.0.0.1:{port}")
server.start()
signal.signal(signal.SIGTERM, lambda *_: server.stop(5))
server.wait_for_termination()
