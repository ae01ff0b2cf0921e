import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";

/** The certificate and the key from the files in the environment. Undefined without TLS. */
export const TLS = readTls();

function readTls(): { readonly cert: Buffer; readonly key: Buffer } | undefined {
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = process.env;
  return cert === undefined || key === undefined
    ? undefined
    : { cert: readFileSync(cert), key: readFileSync(key) };
}

/** Creates a server for HTTP/1.1, with TLS if the environment has a certificate. */
export function http1Server(listener: RequestListener) {
  return TLS === undefined ? createHttpServer(listener) : createHttpsServer(TLS, listener);
}

/** Creates a server for HTTP/2, with TLS if the environment has a certificate. */
export function http2Server(listener?: (request: Http2ServerRequest, response: Http2ServerResponse) => void) {
  return TLS === undefined ? createHttp2Server(listener) : createSecureServer(TLS, listener);
}

/** Listens on a free port of 127.0.0.1. Resolves to the URL, without a final slash. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return urlOf((server.address() as AddressInfo).port);
}

export const urlOf = (port: number) => `${TLS === undefined ? "http" : "https"}://127.0.0.1:${port}`;
