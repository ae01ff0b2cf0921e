"""Calls the service with grpcio, or with its asyncio API. See ../grpc-clients.mjs for the arguments and the output."""

import asyncio
import collections
import json
import sys
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

KIND, CALLS, TARGET, PROTOS, CERTIFICATE = sys.argv[1:]
IS_AIO = KIND == "aio"
WORKERS = 8
LIST = reflection_pb2.ServerReflectionRequest(list_services="")


def load_messages():
    with open(PROTOS, "rb") as file:
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    names = ["utilitytools.v1.LookupIpRequest", "utilitytools.v1.LookupIpResponse"]
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names]


def describe_error(error):
    status = status_pb2.Status.FromString(dict(error.trailing_metadata()).get("grpc-status-details-bin", b""))
    info = error_details_pb2.ErrorInfo()
    reasons = [info.reason for detail in status.details if detail.Unpack(info)]
    return f"{error.code().name} {reasons[0] if reasons else error.details()}"


def name_of(message):
    return health_pb2.HealthCheckResponse.ServingStatus.Name(message.status)


def drain(stream, is_cancelled, ends):
    for message in stream:
        ends.append(name_of(message))
        if is_cancelled:
            stream.cancel()


async def drain_aio(stream, is_cancelled, ends):
    async for message in stream:
        ends.append(name_of(message))
        if is_cancelled:
            stream.cancel()


class Client:
    """Calls with either API. A call of the synchronous one starts here, and another thread waits for its end."""

    def __init__(self, channel):
        self.Request, response = load_messages()
        look_up = channel.unary_unary(
            "/utilitytools.v1.GeoIpService/LookupIp", self.Request.SerializeToString, response.FromString
        )
        self.look_up = look_up if IS_AIO else look_up.future
        self.watch = channel.unary_stream(
            "/grpc.health.v1.Health/Watch",
            health_pb2.HealthCheckRequest.SerializeToString,
            health_pb2.HealthCheckResponse.FromString,
        )
        self.reflect = channel.stream_stream(
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            reflection_pb2.ServerReflectionRequest.SerializeToString,
            reflection_pb2.ServerReflectionResponse.FromString,
        )

    async def outcome(self, address):
        call = self.look_up(self.Request(ip_address=address), timeout=60, wait_for_ready=True)
        try:
            response = await (call if IS_AIO else asyncio.to_thread(call.result))
            return f"{response.ip} {response.metadata.asn}"
        except grpc.RpcError as error:
            return describe_error(error)

    async def end(self, seconds):
        stream = self.watch(health_pb2.HealthCheckRequest(), timeout=seconds)
        ends = []
        try:
            arguments = (stream, seconds is None, ends)
            await (drain_aio(*arguments) if IS_AIO else asyncio.to_thread(drain, *arguments))
        except (grpc.RpcError, asyncio.CancelledError):
            code = await stream.code() if IS_AIO else stream.code()
            ends.append(code.name)
        return " ".join(ends)

    async def services(self):
        if IS_AIO:
            stream = self.reflect(timeout=30)
            await stream.write(LIST)
            response = await stream.read()
            await stream.done_writing()
        else:
            response = next(self.reflect(iter([LIST]), timeout=30))
        return [service.name for service in response.list_services_response.service]

    async def load(self, seconds):
        end = time.monotonic() + seconds
        outcomes = collections.Counter()

        async def work():
            while time.monotonic() < end:
                outcomes[await self.outcome("8.8.8.8")] += 1
                await asyncio.sleep(0.005)

        await asyncio.gather(*[work() for _ in range(WORKERS)])
        return outcomes

    async def run(self, call):
        if "addresses" in call:
            return await asyncio.gather(*[self.outcome(each) for each in call["addresses"]])
        if "watches" in call:
            seconds = call["timeout"] / 1000 if "timeout" in call else None
            return await asyncio.gather(*[self.end(seconds) for _ in range(call["watches"])])
        return await (self.load(call["seconds"]) if "seconds" in call else self.services())


def open_channel(api):
    if not CERTIFICATE:
        return api.insecure_channel(TARGET)
    with open(CERTIFICATE, "rb") as file:
        return api.secure_channel(TARGET, grpc.ssl_channel_credentials(file.read()))


async def main():
    client = Client(open_channel(grpc.aio if IS_AIO else grpc))
    for call in json.loads(CALLS):
        print(json.dumps(await client.run(call)), flush=True)


asyncio.run(main())
