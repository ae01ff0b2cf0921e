"""Calls the service with grpcio, and with its asyncio API. See ../grpc-clients.mjs for the arguments and the output."""

import asyncio
import collections
import json
import sys
import threading
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from grpc_status import rpc_status

LOOKUP_IP = "/utilitytools.v1.GeoIpService/LookupIp"
WATCH = "/grpc.health.v1.Health/Watch"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


def report(name, holds, found=""):
    print(json.dumps({"name": name, "holds": bool(holds), "found": str(found)}), flush=True)


def load_messages(path):
    files = descriptor_pb2.FileDescriptorSet()
    with open(path, "rb") as file:
        files.ParseFromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    names = ["LookupIpRequest", "LookupIpResponse"]
    return [
        message_factory.GetMessageClass(pool.FindMessageTypeByName(f"utilitytools.v1.{name}")) for name in names
    ]


def stubs(channel, Request, Response):
    look_up = channel.unary_unary(LOOKUP_IP, Request.SerializeToString, Response.FromString)
    watch = channel.unary_stream(
        WATCH, health_pb2.HealthCheckRequest.SerializeToString, health_pb2.HealthCheckResponse.FromString
    )
    reflect = channel.stream_stream(
        REFLECTION,
        reflection_pb2.ServerReflectionRequest.SerializeToString,
        reflection_pb2.ServerReflectionResponse.FromString,
    )
    return look_up, watch, reflect


def addresses():
    return [f"8.8.{number // 250}.{number % 250 + 1}" for number in range(1000)]


def reason_of(error):
    for detail in getattr(rpc_status.from_call(error), "details", []):
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            return info.reason
    return None


def report_watches(ends):
    kinds = collections.Counter(ends)
    report("cancellation of 100 streams, then a call", kinds == {("SERVING", "CANCELLED"): 100}, kinds)


def services_of(response):
    return [service.name for service in response.list_services_response.service]


LIST = reflection_pb2.ServerReflectionRequest(list_services="")
IS_SERVING = health_pb2.HealthCheckResponse.SERVING


def calls(channel, Request, Response):
    look_up, watch, reflect = stubs(channel, Request, Response)

    def asn(address):
        return look_up(Request(ip_address=address), timeout=30).metadata.asn

    report("unary call", asn("8.8.8.8") == 15169)
    try:
        asn("nonsense")
        report("error with details", False, "no error")
    except grpc.RpcError as error:
        holds = error.code() == grpc.StatusCode.INVALID_ARGUMENT and reason_of(error) == "INVALID_PARAMETERS"
        report("error with details", holds, error)

    statuses = []
    try:
        for message in watch(health_pb2.HealthCheckRequest(), timeout=0.5):
            statuses.append(message.status)
        report("deadline of a stream", False, "no error")
    except grpc.RpcError as error:
        holds = error.code() == grpc.StatusCode.DEADLINE_EXCEEDED and statuses == [IS_SERVING]
        report("deadline of a stream", holds, error)

    ends = []
    streams = [watch(health_pb2.HealthCheckRequest(), timeout=30) for _ in range(100)]
    for stream in streams:
        first = next(stream)
        stream.cancel()
        try:
            next(stream)
            end = "message"
        except grpc.RpcError as error:
            end = error.code().name
        ends.append(("SERVING" if first.status == IS_SERVING else "other", end))
    asn("8.8.8.8")
    report_watches(ends)

    pending = [(each, look_up.future(Request(ip_address=each), timeout=60)) for each in addresses()]
    wrong = [each for each, future in pending if future.result().ip != each]
    report("1,000 concurrent calls", wrong == [], wrong)

    services = services_of(next(reflect(iter([LIST]), timeout=30)))
    report("reflection", "utilitytools.v1.GeoIpService" in services, services)


async def calls_aio(channel, Request, Response):
    look_up, watch, reflect = stubs(channel, Request, Response)

    async def look(address):
        return await look_up(Request(ip_address=address), timeout=60)

    report("unary call", (await look("8.8.8.8")).metadata.asn == 15169)
    try:
        await look("nonsense")
        report("error with details", False, "no error")
    except grpc.aio.AioRpcError as error:
        found = error.trailing_metadata().get("grpc-status-details-bin", b"")
        holds = error.code() == grpc.StatusCode.INVALID_ARGUMENT and b"INVALID_PARAMETERS" in found
        report("error with details", holds, error)

    statuses = []
    try:
        async for message in watch(health_pb2.HealthCheckRequest(), timeout=0.5):
            statuses.append(message.status)
        report("deadline of a stream", False, "no error")
    except grpc.aio.AioRpcError as error:
        holds = error.code() == grpc.StatusCode.DEADLINE_EXCEEDED and statuses == [IS_SERVING]
        report("deadline of a stream", holds, error)

    async def cancelled():
        stream = watch(health_pb2.HealthCheckRequest(), timeout=30)
        first = await stream.read()
        stream.cancel()
        code = await stream.code()
        return ("SERVING" if first.status == IS_SERVING else "other", code.name)

    ends = await asyncio.gather(*[cancelled() for _ in range(100)])
    await look("8.8.8.8")
    report_watches(ends)

    found = await asyncio.gather(*[look(each) for each in addresses()])
    wrong = [each for each, response in zip(addresses(), found) if response.ip != each]
    report("1,000 concurrent calls", wrong == [], wrong)

    stream = reflect(timeout=30)
    await stream.write(LIST)
    services = services_of(await stream.read())
    await stream.done_writing()
    report("reflection", "utilitytools.v1.GeoIpService" in services, services)


def load(channel, Request, Response, seconds):
    look_up, _, _ = stubs(channel, Request, Response)
    end = time.monotonic() + seconds
    ends = collections.Counter()

    def work():
        while time.monotonic() < end:
            try:
                response = look_up(Request(ip_address="8.8.8.8"), timeout=20, wait_for_ready=True)
                ends["" if response.metadata.asn == 15169 else "wrong"] += 1
            except grpc.RpcError as error:
                ends[f"{error.code()}: {error.details()}"] += 1
            time.sleep(0.005)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report_load(ends)


async def load_aio(channel, Request, Response, seconds):
    look_up, _, _ = stubs(channel, Request, Response)
    end = time.monotonic() + seconds
    ends = collections.Counter()

    async def work():
        while time.monotonic() < end:
            try:
                response = await look_up(Request(ip_address="8.8.8.8"), timeout=20, wait_for_ready=True)
                ends["" if response.metadata.asn == 15169 else "wrong"] += 1
            except grpc.aio.AioRpcError as error:
                ends[f"{error.code()}: {error.details()}"] += 1
            await asyncio.sleep(0.005)

    await asyncio.gather(*[work() for _ in range(8)])
    report_load(ends)


def report_load(ends):
    failures = {end: count for end, count in ends.items() if end != ""}
    print(json.dumps({"calls": ends.total(), "failures": failures}), flush=True)


def main():
    kind, mode, target, protos, certificate, *rest = sys.argv[1:]
    api = grpc.aio if kind == "aio" else grpc
    security = None
    if certificate:
        with open(certificate, "rb") as file:
            security = grpc.ssl_channel_credentials(file.read())

    def open_channel():
        return api.insecure_channel(target) if security is None else api.secure_channel(target, security)

    seconds = [float(each) for each in rest]
    if kind == "aio":

        async def run():
            async with open_channel() as channel:
                await (calls_aio if mode == "calls" else load_aio)(channel, *load_messages(protos), *seconds)

        asyncio.run(run())
    else:
        with open_channel() as channel:
            (calls if mode == "calls" else load)(channel, *load_messages(protos), *seconds)


main()
