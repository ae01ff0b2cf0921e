import { type DescMethod, fromBinary, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import { SpecimenSchema } from "../../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { listOf, type Random } from "../../lib/random.js";
import { createRawClient, type RawClient, type RawRequest } from "../../lib/raw-client.js";
import type { Observation } from "./any-call.js";
import { anyReference, describeMessage, messageOf, REGISTRY } from "./messages.js";
import { describeHeaders } from "./recorder.js";
import { changedRpcRequest, type RpcProtocol, type RpcRequest } from "./rpc-request.js";
import { readRpcResponse } from "./rpc-response.js";
import { anyScript, CALL, formatScript, SCRIPT } from "./script.js";
import { type ComparedServer, MAX_REQUEST_BYTES } from "./servers.js";
import { METHODS } from "./service.js";

/** A request as bytes, with one or two parts changed. */
export interface RawCall extends RpcRequest, RawRequest {
  readonly kind: "raw";
  readonly method: DescMethod;
  readonly protocol: RpcProtocol;
  readonly isBinary: boolean;
}

/** Any request with a change. */
export function anyRawCall(random: Random): RawCall {
  const protocol = random.pick<RpcProtocol>(["grpc", "grpc-web", "connect", "connect", "get"]);
  const getter =
    protocol === "get" ? METHODS.find(({ name }) => name.endsWith("Get") && random.oneIn(2)) : undefined;
  const method = getter ?? random.pick(METHODS);
  const isBinary = random.oneIn(2);
  const messages = takesStream(method)
    ? listOf(random, 3, () => anyBytes(random, isBinary))
    : [anyBytes(random, isBinary)];
  const path = `/test.Service/${method.name}`;
  const request = changedRpcRequest(random, {
    protocol,
    isBinary,
    method,
    path,
    messages,
    maxMessage: MAX_REQUEST_BYTES,
  });
  const script = anyScript(random, takesStream(method), givesStream(method));
  return {
    ...request,
    headers: [["host", "127.0.0.1"], ...request.headers, [SCRIPT, formatScript(script)]],
    kind: "raw",
    method,
    protocol,
    isBinary,
    http: protocol === "grpc" || method.methodKind === "bidi_streaming" ? 2 : random.pick([1, 2]),
  };
}

export function takesStream({ methodKind }: DescMethod): boolean {
  return methodKind === "client_streaming" || methodKind === "bidi_streaming";
}

export function givesStream({ methodKind }: DescMethod): boolean {
  return methodKind === "server_streaming" || methodKind === "bidi_streaming";
}

function anyBytes(random: Random, isBinary: boolean): Uint8Array {
  const message = messageOf({ ...anyReference(random), size: 0 });
  return isBinary
    ? toBinary(SpecimenSchema, message)
    : Buffer.from(toJsonString(SpecimenSchema, message, { registry: REGISTRY }));
}

/** The time in which a response must end, in milliseconds. */
const TIMEOUT = 15_000;
const clients = new Map<number, RawClient>();

/** Headers that are about the encoding, or that {@link KNOWN_IN_CALLS} lists. */
const OMITTED =
  /^(?:content-length|content-encoding|grpc-encoding|connect-content-encoding|x-content-type-options|vary)$/;

/**
 * Sends a request. Resolves to all that the client and the server have seen, without the differences of form that
 * {@link KNOWN_IN_CALLS} lists: gRPC's trailers can be headers, and errors have texts in several encodings.
 */
export async function observeRaw(server: ComparedServer, call: RawCall, id: string): Promise<Observation> {
  const port = server.portOf(call.http);
  const client = clients.get(port) ?? createRawClient({ port, keepsAlive: false, timeout: TIMEOUT });
  clients.set(port, client);
  const response = await client.send({ ...call, headers: [...call.headers, [CALL, id]] });
  const { events, running } = await server.recorder.take(id);
  if (response.status === 0) {
    return { client: { failure: response.end }, server: events, running };
  }
  const { messages, isJson, metadata, ...outcome } = readRpcResponse(response, call.httpMethod);
  return {
    client: {
      ...outcome,
      messages: messages.map((message) => describeContent(message, isJson)),
      metadata: describeHeaders(Object.entries(metadata).filter(([name]) => !OMITTED.test(name))),
    },
    server: events,
    running,
  };
}

function describeContent(content: Buffer, isJson: boolean): string {
  return describeMessage(
    isJson
      ? fromJsonString(SpecimenSchema, content.toString(), { registry: REGISTRY })
      : fromBinary(SpecimenSchema, content),
  );
}
