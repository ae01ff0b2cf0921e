import { create, type Message, type Registry } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { readAllBytes, universalClientResponseFromFetch } from "@connectrpc/connect/protocol";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import { isJsonObject, type JsonData } from "../codec/json/data.js";
import type { JsonReaders } from "../codec/json/reader.js";
import type { JsonReading } from "../codec/json/reading.js";
import { fieldWriter } from "../codec/message-field.js";
import { givesStream, type HttpBinding, responseBodyOf } from "../routes/rules/http-rule.js";
import { decodeError, throwConnectError } from "./rest-error.js";
import { parsedJson, plainJson, readStream } from "./rest-stream.js";

/**
 * Reads the messages of a successful response as they arrive: those of a stream, or the only one. Throws a ConnectError for a body of
 * another form, and for an error in it.
 *
 * @param readers unlike `fromJson`, they know the `http_value` of enum values
 */
export async function* readMessages(
  response: Response,
  binding: HttpBinding,
  registry: Registry,
  readers: JsonReaders,
): AsyncGenerator<Message> {
  const { method, responseBody } = binding;
  const isStream = givesStream(method);
  const parts = partsOf(response, isStream);
  let contentType = response.headers.get("content-type") ?? "";
  if (responseBodyOf(binding).kind === "bytes") {
    for await (const data of parts) {
      yield messageWith(binding, create(HttpBodySchema, { contentType, data }));
      contentType = "";
    }
    return;
  }
  if (!isStream) {
    for await (const part of parts) {
      yield part.length === 0
        ? create(method.output)
        : decodeMessage(binding, parsedJson(new TextDecoder().decode(part)), readers);
    }
    return;
  }
  const names = (responseBody?.message ?? method.output).fields.map(({ jsonName }) => jsonName);
  for await (const { json, isError } of readStream(parts, contentType)) {
    const [[name = "", value = null] = [], ...others] = isJsonObject(json) ? Object.entries(json) : [];
    // Messages of grpc-gateway are in `result`, errors of all servers in `error`.
    const wrapper = others.length > 0 || names.includes(name) ? "" : name;
    if (isError || wrapper === "error") {
      throw decodeError(response, plainJson(json), registry);
    }
    yield decodeMessage(binding, wrapper === "result" ? value : json, readers);
  }
}

/** The parts of a body: those that arrive, or the only one. */
async function* partsOf(response: Response, isStream: boolean): AsyncIterable<Uint8Array> {
  const { body } = universalClientResponseFromFetch(response);
  try {
    yield* isStream ? body : [await readAllBytes(body, Number.POSITIVE_INFINITY)];
  } catch (thrown) {
    throwConnectError(thrown);
  }
}

function decodeMessage({ method, responseBody }: HttpBinding, json: JsonData, readers: JsonReaders): Message {
  const whole = responseBody === undefined ? json : { [responseBody.jsonName]: json };
  const reading: JsonReading = { unknownMembers: "ignore", violations: [], depth: 0 };
  const message = readers.ofMessage(method.output)(whole, reading);
  if (message === undefined || reading.violations.length > 0) {
    const [{ field = "", description = "has another form" } = {}] = reading.violations;
    const place = field === "" ? "the message" : field.replace(/^\./, "");
    throw new ConnectError(
      `the response is not a ${method.output.typeName}: ${place} ${description}`,
      Code.Internal,
    );
  }
  return message;
}

function messageWith({ method, responseBody }: HttpBinding, httpBody: Message): Message {
  if (responseBody === undefined) {
    return httpBody;
  }
  const message = create(method.output);
  fieldWriter(responseBody)(message, httpBody);
  return message;
}
