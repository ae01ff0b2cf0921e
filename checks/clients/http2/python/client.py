"""Calls the service with grpcio, or with its asyncio API. See ../grpc-clients.mjs for the arguments and the output."""

import asyncio
import collections
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

KIND, CALLS, TARGET, PROTOS, CERTIFICATE = sys.argv[1:]
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


def describe(response):
    return f"{response.ip} {response.metadata.asn}"


def describe_error(error):
    status = status_pb2.Status.FromString(dict(error.trailing_metadata()).get("grpc-status-details-bin", b""))
    info = error_details_pb2.ErrorInfo()
    reasons = [info.reason for detail in status.details if detail.Unpack(info)]
    return f"{error.code().name} {reasons[0] if reasons else error.details()}"


def name_of(message):
    return health_pb2.HealthCheckResponse.ServingStatus.Name(message.status)


def services_of(response):
    return [service.name for service in response.list_services_response.service]


class Client:
    def __init__(self, channel):
        self.Request, response = load_messages()
        self.look_up = channel.unary_unary(
            "/utilitytools.v1.GeoIpService/LookupIp", self.Request.SerializeToString, response.FromString
        )
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

    def start(self, address):
        call = self.look_up.future if KIND == "sync" else self.look_up
        return call(self.Request(ip_address=address), timeout=60, wait_for_ready=True)

    def open(self, seconds):
        return self.watch(health_pb2.HealthCheckRequest(), timeout=seconds)


class Sync(Client):
    def look_ups(self, addresses):
        return [self.outcome(future) for future in [self.start(each) for each in addresses]]

    def outcome(self, future):
        try:
            return describe(future.result())
        except grpc.RpcError as error:
            return describe_error(error)

    def watches(self, count, seconds):
        return [self.end(stream, seconds) for stream in [self.open(seconds) for _ in range(count)]]

    def end(self, stream, seconds):
        ends = []
        try:
            for message in stream:
                ends.append(name_of(message))
                if seconds is None:
                    stream.cancel()
        except grpc.RpcError as error:
            ends.append(error.code().name)
        return " ".join(ends)

    def services(self):
        return services_of(next(self.reflect(iter([LIST]), timeout=30)))

    def load(self, end):
        def work(_):
            ends = collections.Counter()
            while time.monotonic() < end:
                ends.update(self.look_ups(["8.8.8.8"]))
                time.sleep(0.005)
            return ends

        with ThreadPoolExecutor(WORKERS) as pool:
            return sum(pool.map(work, range(WORKERS)), collections.Counter())


class Aio(Client):
    async def look_ups(self, addresses):
        return await asyncio.gather(*[self.outcome(self.start(each)) for each in addresses])

    async def outcome(self, call):
        try:
            return describe(await call)
        except grpc.aio.AioRpcError as error:
            return describe_error(error)

    async def watches(self, count, seconds):
        return await asyncio.gather(*[self.end(self.open(seconds), seconds) for _ in range(count)])

    async def end(self, stream, seconds):
        ends = []
        try:
            async for message in stream:
                ends.append(name_of(message))
                if seconds is None:
                    stream.cancel()
        except (grpc.aio.AioRpcError, asyncio.CancelledError):
            ends.append((await stream.code()).name)
        return " ".join(ends)

    async def services(self):
        stream = self.reflect(timeout=30)
        await stream.write(LIST)
        services = services_of(await stream.read())
        await stream.done_writing()
        return services

    async def load(self, end):
        ends = collections.Counter()

        async def work():
            while time.monotonic() < end:
                ends.update(await self.look_ups(["8.8.8.8"]))
                await asyncio.sleep(0.005)

        await asyncio.gather(*[work() for _ in range(WORKERS)])
        return ends


def run(client, call):
    if "addresses" in call:
        return client.look_ups(call["addresses"])
    if "watches" in call:
        return client.watches(call["watches"], call["timeout"] / 1000 if "timeout" in call else None)
    if "seconds" in call:
        return client.load(time.monotonic() + call["seconds"])
    return client.services()


def open_channel(api):
    if not CERTIFICATE:
        return api.insecure_channel(TARGET)
    with open(CERTIFICATE, "rb") as file:
        return api.secure_channel(TARGET, grpc.ssl_channel_credentials(file.read()))


async def main_aio():
    async with open_channel(grpc.aio) as channel:
        for call in json.loads(CALLS):
            print(json.dumps(await run(Aio(channel), call)), flush=True)


def main():
    with open_channel(grpc) as channel:
        for call in json.loads(CALLS):
            print(json.dumps(run(Sync(channel), call)), flush=True)


if KIND == "aio":
    asyncio.run(main_aio())
else:
    main()
