"""Sends the requests of a file with http.client. See http-client.mjs for the arguments and the output."""

import base64
import http.client
import json
import ssl
import sys
from urllib.parse import urlsplit

TIMEOUT = 30


def body_of(case):
    body = base64.b64decode(case["body"]) if "body" in case else None
    size = case.get("chunk")
    return (body[start : start + size] for start in range(0, len(body), size)) if size else body


def headers_of(case):
    expect = {"expect": "100-continue"} if case.get("expect") else {}
    close = {"connection": "close"} if case.get("close") else {}
    return {**case.get("headers", {}), **expect, **close}


class HttpClient:
    """A connection for each host, as http.client has no pool."""

    def __init__(self, context):
        self.context = context
        self.connections = {}

    def send(self, case):
        url = urlsplit(case["url"])
        connection = self.connections.get(url.netloc)
        if connection is None:
            connection = (
                http.client.HTTPSConnection(url.netloc, timeout=TIMEOUT, context=self.context)
                if url.scheme == "https"
                else http.client.HTTPConnection(url.netloc, timeout=TIMEOUT)
            )
            self.connections[url.netloc] = connection
        target = url.path + (f"?{url.query}" if url.query else "")
        headers = headers_of(case)
        if "chunk" in case:
            headers["transfer-encoding"] = "chunked"
        try:
            connection.request(case["method"], target, body_of(case), headers, encode_chunked="chunk" in case)
            port = connection.sock.getsockname()[1]
            response = connection.getresponse()
            return port, response.status, response.headers, response.read()
        except Exception:
            # The next request gets a new connection.
            connection.close()
            raise


def main():
    path, certificate = sys.argv[1:]
    context = ssl.create_default_context(cafile=certificate) if certificate else None
    client = HttpClient(context)
    with open(path, encoding="utf8") as file:
        cases = json.load(file)
    for case in cases:
        ports = set()
        try:
            for _ in range(case["times"]):
                port, status, headers, body = client.send(case)
                ports.add(port)
            result = {
                "status": status,
                "body": base64.b64encode(body).decode(),
                "length": headers.get("content-length"),
                "coding": headers.get("transfer-encoding"),
                "connections": len(ports),
            }
        except Exception as error:
            result = {"status": f"{type(error).__name__}: {error}"}
        print(json.dumps({"name": case["name"], **result}), flush=True)


main()
