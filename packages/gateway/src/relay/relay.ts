import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { PREFIX_BYTES, parseGrpcTimeout, type RawRequest, type Relay } from "connect-transcoding";
import { startUpstreamCall, type UpstreamCall } from "../grpc/call.js";
import { requestMetadata } from "../proxy/metadata.js";
import { followedCall, type ProxiedCall } from "../proxy/proxied-call.js";
import { isDeclaredIdempotent, withRetries } from "../proxy/retry.js";
import type { Upstream } from "../proxy/upstream.js";
import { type WireForm, wireFormOf } from "./forms.js";
import { FrameLimit, frameTooLarge } from "./frame-limit.js";
import { ResponseRelay } from "./response.js";

/** How calls are passed on without reading their messages. */
export interface RelayOptions {
  /** The upstreams by the full names of their services. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** The deadline of calls that have none, in milliseconds. */
  readonly timeout: number | undefined;
  /** How long calls wait for a connection, in milliseconds. */
  readonly wait: number;
  /** The limits of messages in bytes. */
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
}

/** Passes calls in gRPC and gRPC-Web to upstreams byte for byte: their messages are neither decoded nor decompressed. */
export function createRelay(options: RelayOptions): Relay {
  return (request, method) => {
    const upstream = options.upstreams.get(method.parent.typeName);
    const form = wireFormOf(request);
    const timeout = parseGrpcTimeout(request.header("grpc-timeout")) ?? options.timeout;
    const { methodKind } = method;
    const needsHttp2 = methodKind === "bidi_streaming" && request.httpVersion !== "2.0";
    if (upstream === undefined || form === undefined || typeof timeout === "object" || needsHttp2) {
      return false;
    }
    const path = `/${method.parent.typeName}/${method.name}`;
    let headers: string[];
    try {
      headers = headersOf(request);
    } catch {
      // The implementation throws the same error, which the engine encodes.
      return false;
    }
    const call = followedCall(request, path, headers, timeout, options.wait);
    if (methodKind === "unary" || methodKind === "server_streaming") {
      relayOne({ request, method, form, upstream, call, options });
    } else {
      relayStream({ request, method, form, upstream, call, options });
    }
    return true;
  };
}

interface RelayedCall {
  readonly request: RawRequest;
  readonly method: DescMethod;
  readonly form: WireForm;
  readonly upstream: Upstream;
  readonly call: ProxiedCall;
  readonly options: RelayOptions;
}

/** The metadata, and how messages are compressed. */
function headersOf(request: RawRequest): string[] {
  const headers = requestMetadata(request);
  for (const name of ["grpc-encoding", "grpc-accept-encoding"]) {
    const value = request.header(name);
    if (value !== undefined) {
      headers.push(name, value);
    }
  }
  return headers;
}

/** A request with one message can be sent several times. */
function relayOne(relayed: RelayedCall): void {
  const { request, method, call, options } = relayed;
  const { maxRequestBytes } = options;
  request.readBody(maxRequestBytes + PREFIX_BYTES, (body) => {
    let relay: ResponseRelay | undefined;
    if (body === "too large") {
      refuse(relayed, frameTooLarge(maxRequestBytes));
      return;
    }
    // The bytes are valid during the callback only.
    const bytes = Buffer.from(body);
    const send = () =>
      new Promise<void>((resolve, reject) => {
        const settle = (error: ConnectError | undefined) => (error === undefined ? resolve() : reject(error));
        let upstreamCall: UpstreamCall;
        const started = responseRelay(relayed, () => upstreamCall, settle);
        relay = started;
        upstreamCall = startUpstreamCall(relayed.upstream.connections, call.head(), started);
        call.follow(upstreamCall);
        upstreamCall.end(bytes);
      });
    const { retries } = relayed.upstream;
    withRetries(send, call, isDeclaredIdempotent(method), retries).catch(() => relay?.refuse());
  });
}

/** Responds with an error without calling the upstream. */
function refuse(relayed: RelayedCall, error: ConnectError): void {
  const relay: ResponseRelay = responseRelay(relayed, undefined, () => relay.refuse());
  relay.onError(error);
}

function relayStream(relayed: RelayedCall): void {
  const { request, upstream, call, options } = relayed;
  let upstreamCall: UpstreamCall;
  let onDrain = (): void => {};
  const relay: ResponseRelay = responseRelay(
    relayed,
    () => upstreamCall,
    (error) => {
      if (error !== undefined) {
        relay.refuse();
      }
    },
    () => onDrain(),
  );
  upstreamCall = startUpstreamCall(upstream.connections, call.head(), relay);
  call.follow(upstreamCall);
  onDrain = relayRequest(request, () => upstreamCall, options.maxRequestBytes);
  onDrain();
}

function responseRelay(
  { request, method, form, options }: RelayedCall,
  call: (() => UpstreamCall) | undefined,
  settle: (error: ConnectError | undefined) => void,
  onDrain?: () => void,
): ResponseRelay {
  const isStream = method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming";
  const limit = options.maxResponseBytes;
  return new ResponseRelay(request, { form, isStream, limit }, call, settle, onDrain);
}

/** The bytes of memory of a call that streams. */
const STREAM_BYTES = 8 * 1024;

/** Passes the body of a request on part by part. Returns the function to call when the upstream takes more. */
function relayRequest(request: RawRequest, call: () => UpstreamCall, maxBytes: number): () => void {
  const limit = new FrameLimit(maxBytes);
  let isFull = false;
  let hasEnded = false;
  request.holdMemory(STREAM_BYTES);
  const body = request.openBody(pump);

  function pump(): void {
    while (!isFull && !hasEnded) {
      const part = body.take();
      if (part === undefined) {
        if (body.isTaken) {
          hasEnded = true;
          call().end();
        }
        return;
      }
      try {
        limit.pass(part);
      } catch (thrown) {
        hasEnded = true;
        call().cancel(ConnectError.from(thrown));
        return;
      }
      isFull = !call().write(part);
      body.retain(isFull ? part.length : 0);
    }
  }

  return () => {
    isFull = false;
    body.retain(0);
    pump();
  };
}
