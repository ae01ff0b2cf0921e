import { create, type JsonValue, type Message, type Registry } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError } from "@connectrpc/connect";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import { createJsonReaders } from "../codec/json-reader.js";
import type { JsonReading } from "../codec/json-reading.js";
import { givesStream, type HttpBinding, responseBodyOf } from "../routes/rules/http-rule.js";
import { decodeError } from "./rest-error.js";
import { readStream } from "./rest-stream.js";

/** Whether the response is the content of a `google.api.HttpBody`. */
export function isBytes(binding: HttpBinding): boolean {
  return responseBodyOf(binding).kind === "bytes";
}

/** Reads the message of a response. Rejects with a ConnectError for a body of another form. */
export async function readMessage(
  response: Response,
  binding: HttpBinding,
  registry: Registry,
): Promise<Message> {
  if (isBytes(binding)) {
    return bytesMessage(binding, typeOf(response), new Uint8Array(await response.arrayBuffer()));
  }
  const text = await response.text();
  if (text === "") {
    return create(binding.method.output);
  }
  const json = jsonOf(text);
  if (json === undefined) {
    throw new ConnectError("the response is not JSON", Code.Internal, response.headers);
  }
  return decodeMessage(binding, json, registry);
}

/** Reads the messages of a response as they arrive. Throws a ConnectError for a body of another form, and for an error in it. */
export async function* readMessages(
  response: Response,
  binding: HttpBinding,
  registry: Registry,
): AsyncIterable<Message> {
  const { method, responseBody } = binding;
  if (!givesStream(method)) {
    yield await readMessage(response, binding, registry);
    return;
  }
  const parts = partsOf(response);
  let type = typeOf(response);
  if (isBytes(binding)) {
    for await (const part of parts) {
      yield bytesMessage(binding, type, part);
      type = "";
    }
    return;
  }
  const names =
    responseBody === undefined ? method.output.fields.map(({ jsonName }) => jsonName) : ["error", "result"];
  for await (const { json, isError } of readStream(parts, type, new Set(names))) {
    if (isError) {
      throw decodeError(response.status, json, response.headers, registry);
    }
    yield decodeMessage(binding, json, registry);
  }
}

/** Reads the error of an unsuccessful response. */
export async function responseError(response: Response, registry: Registry): Promise<ConnectError> {
  return decodeError(response.status, jsonOf(await response.text()), response.headers, registry);
}

/** The parts of a body. Not all browsers can iterate over a ReadableStream. */
async function* partsOf({ body }: Response): AsyncIterable<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
      yield read.value;
    }
  } finally {
    // Breaks the connection if the client has stopped reading.
    await reader?.cancel();
  }
}

function decodeMessage({ method, responseBody }: HttpBinding, json: JsonValue, registry: Registry): Message {
  const whole = responseBody === undefined ? json : { [responseBody.jsonName]: json };
  // Unlike protobuf-es, it reads the `http_value` of enum values.
  const reading: JsonReading = { unknownMembers: "ignore", violations: [], depth: 0 };
  const message = createJsonReaders(registry).ofMessage(method.output)(whole, reading);
  if (message === undefined || reading.violations.length > 0) {
    throw new ConnectError("the response is not in the form of its message", Code.Internal);
  }
  return message;
}

function bytesMessage({ method, responseBody }: HttpBinding, contentType: string, data: Uint8Array): Message {
  const httpBody = create(HttpBodySchema, { contentType, data });
  if (responseBody === undefined) {
    return httpBody;
  }
  const message = create(method.output);
  reflect(method.output, message).set(responseBody, reflect(HttpBodySchema, httpBody));
  return message;
}

function typeOf({ headers }: Response): string {
  return headers.get("content-type") ?? "";
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
