import type { Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { createGrpcWebTextTransport } from "connect-transcoding-testing/grpc-web-text-transport.js";

/** Transports of every protocol. */
export const TRANSPORTS: readonly [name: string, (baseUrl: string) => Transport][] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["Connect", (baseUrl) => createConnectTransport({ httpVersion: "1.1", baseUrl })],
  ["Connect with JSON over HTTP/2", (baseUrl) => connectJson({ baseUrl })],
  ["Connect with GET", (baseUrl) => connectJson({ baseUrl, useHttpGet: true })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ httpVersion: "1.1", baseUrl })],
  ["gRPC-Web text", (baseUrl) => createGrpcWebTextTransport({ httpVersion: "1.1", baseUrl })],
  ["gRPC with JSON", (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false })],
];

function connectJson(options: { readonly baseUrl: string; readonly useHttpGet?: boolean }): Transport {
  return createConnectTransport({ httpVersion: "2", useBinaryFormat: false, ...options });
}
