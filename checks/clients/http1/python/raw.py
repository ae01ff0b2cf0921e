"""Sends bytes on sockets. See ../raw.mjs for the arguments and the output."""

import concurrent.futures
import json
import os
import socket
import ssl
import sys

TIMEOUT = 10


def connect(case, certificate):
    connection = socket.create_connection((case["host"], case["port"]), TIMEOUT)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not certificate:
        return connection
    context = ssl.create_default_context(cafile=certificate)
    return context.wrap_socket(connection, server_hostname=case["host"])


def half_close(connection):
    # A TLS socket cannot send close_notify and read on, so only the TCP connection is half-closed.
    with socket.socket(fileno=os.dup(connection.fileno())) as below:
        below.shutdown(socket.SHUT_WR)


def run(case, certificate):
    received = b""
    try:
        with connect(case, certificate) as connection:
            for step in case["steps"]:
                data = step["send"].encode("latin1")
                size = case.get("split", len(data)) or 1
                for start in range(0, len(data), size):
                    connection.sendall(data[start : start + size])
                until = step.get("until", "").encode("latin1")
                while until not in received:
                    chunk = connection.recv(65536)
                    if chunk == b"":
                        raise EOFError(f"ended before {until}")
                    received += chunk
            if case.get("half_close"):
                half_close(connection)
            while chunk := connection.recv(65536):
                received += chunk
        problem = ""
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    return {"name": case["name"], "received": received.decode("latin1"), "problem": problem}


def main():
    path, certificate = sys.argv[1:]
    with open(path, encoding="utf8") as file:
        cases = json.load(file)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for result in pool.map(lambda case: run(case, certificate), cases):
            print(json.dumps(result), flush=True)


main()
