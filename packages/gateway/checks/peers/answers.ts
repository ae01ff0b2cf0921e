import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import {
  type DescMessage,
  type DescMethod,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { CodeSchema } from "connect-transcoding/gen/google/rpc/code_pb.js";
import { StatusSchema } from "connect-transcoding/gen/google/rpc/status_pb.js";
import type { TableCase } from "./table.js";

export interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  /** JSON without fields at their default, or a text. */
  readonly body?: JsonValue | undefined;
  readonly form?: string | undefined;
  /** The code of google.rpc, and, if it comes from the upstream, the message and the details. */
  readonly error?: JsonValue | undefined;
  /** The path of the method that the upstream has received. */
  readonly method?: string | undefined;
  /** The messages that the upstream has received. */
  readonly received?: JsonValue | undefined;
}

/** Sends a request to the gateway. */
export async function askFor(
  each: TableCase,
  method: DescMethod,
  registry: Registry,
  port: number,
): Promise<Answer> {
  const encode = (desc: DescMessage, json: JsonValue) =>
    Buffer.from(toBinary(desc, fromJson(desc, json, { registry }))).toString("base64");
  const isEcho = method.input.typeName === method.output.typeName;
  // An echo that waits for the end of the request can say in a header what the request was.
  const isUnaryEcho =
    isEcho && method.methodKind === "unary" && each.right !== undefined && each.fail === undefined;
  const messages = each.respond.length > 0 || each.fail !== undefined || isEcho ? each.respond : [{}];
  const metadata = {
    "x-sleep": each.sleep,
    ...(isUnaryEcho && { "x-respond": "[=]" }),
    ...(messages.length > 0 && {
      "x-respond": `[${messages.map((json) => encode(method.output, json)).join(";")}]`,
    }),
    ...(each.fail !== undefined && { "x-fail": encode(StatusSchema, each.fail) }),
  };
  const sent = request({
    port,
    agent: false,
    method: each.httpMethod,
    path: each.target,
    headers: {
      ...(each.body !== undefined && {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(each.body),
      }),
      ...metadata,
      ...each.headers,
    },
  });
  sent.end(each.body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const body = await text(response);
  const { statusCode: status = 0, headers } = response;
  const received = headers["x-received"];
  const isFromUpstream = each.fail !== undefined && received !== undefined;
  const type = headers["content-type"]?.split(";")[0];
  const called = headers["x-method"];
  const common = {
    status,
    type,
    method: typeof called === "string" ? called.slice(1).replace("/", ".") : undefined,
    received:
      typeof received === "string"
        ? received
            .slice(1, -1)
            .split(";")
            .map((bytes) => decode(method, bytes, registry))
        : undefined,
  };
  if (status >= 400) {
    return { ...common, error: errorOf(parse(body)[0], isFromUpstream) };
  }
  if (!type?.includes("json")) {
    return { ...common, body };
  }
  if (each.httpMethod === "HEAD") {
    return { ...common, body };
  }
  const values = parse(body);
  if (method.methodKind === "unary" || method.methodKind === "client_streaming") {
    return { ...common, body: withoutDefaults(values[0] ?? "not JSON") };
  }
  const isArray = Array.isArray(values[0]);
  const items = (isArray ? values.flat() : values) as JsonObject[];
  const errors = items.filter((item) => "error" in item || "code" in item);
  return {
    ...common,
    form: isArray ? "array" : "lines",
    body: items.filter((item) => !errors.includes(item)).map((item) => withoutDefaults(item) ?? {}),
    ...(errors.length > 0 && { error: errorOf(errors[0], isFromUpstream) }),
  };
}

/** A message as JSON, or its bytes if JSON cannot express it. */
function decode({ input }: DescMethod, bytes: string, registry: Registry): JsonValue {
  try {
    const message = fromBinary(input, Buffer.from(bytes, "base64")) as { updateMask?: FieldMask } & Message;
    const { updateMask } = message;
    // JSON cannot express all paths.
    delete message.updateMask;
    const json = toJson(input, message, { registry }) as JsonObject;
    return updateMask === undefined ? json : { ...json, updateMask: updateMask.paths.join() };
  } catch {
    return bytes;
  }
}

/** The values of a text: one, or one in each line. */
function parse(body: string): JsonValue[] {
  try {
    return [JSON.parse(body)];
  } catch {
    try {
      return body
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  }
}

/** The code, and what comes from the upstream, of an error. */
function errorOf(json: JsonValue | undefined, isFromUpstream: boolean): JsonValue {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return "not JSON";
  }
  const error = (json.error ?? json) as JsonObject;
  const code = (typeof error.status === "string" ? codeOf(error.status) : error.code) ?? null;
  const details = withoutDefaults(error.details ?? null) ?? [];
  return isFromUpstream ? { code, message: error.message ?? "", details } : { code };
}

const codeOf = (status: string) => CodeSchema.values.find(({ name }) => name === status)?.number;

function withoutDefaults(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((each) => withoutDefaults(each) ?? null);
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).flatMap(([key, each]) => {
      const kept = withoutDefaults(each);
      return kept === undefined ? [] : [[key, kept] as const];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  return value === null || value === "" || value === 0 || value === "0" || value === false
    ? undefined
    : value;
}
