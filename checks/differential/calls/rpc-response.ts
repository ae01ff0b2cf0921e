import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Code, decodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "connect-transcoding/gen/google/rpc/status_pb.js";
import { type RawResponse, readFields } from "../../lib/raw-client.js";

/** What a response of gRPC, gRPC-Web or Connect says, whatever its form. */
export interface RpcOutcome {
  readonly status: number;
  /** The messages without prefix, and whether they are JSON. */
  readonly messages: readonly Buffer[];
  readonly isJson: boolean;
  /** The code of the error, and 0 without one. Undefined for what is no response of these protocols. */
  readonly code: unknown;
  readonly text: string;
  /** The types of the error's details, without those of google.rpc. */
  readonly details: readonly string[];
  /** All headers and trailers that are not about the error. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The number of bytes after the last message. */
  readonly rest: number;
}

/** Reads a response. Throws an Error if its compression or the JSON of its end is malformed. */
export function readRpcResponse(
  { status, headers, trailers, body }: RawResponse,
  httpMethod: string,
): RpcOutcome {
  const type = headers["content-type"] ?? "";
  const fields = { ...headers, ...trailers };
  const isJson = type.includes("json");
  if (/^application\/(?:grpc|connect\+)/.test(type)) {
    const encoding = headers["grpc-encoding"] ?? headers["connect-content-encoding"];
    const { messages, end, rest } = readEnvelopes(body, encoding);
    return { status, isJson, messages, rest, ...readEnd({ ...fields, ...end }) };
  }
  const content = inflated(body, headers["content-encoding"]);
  const isMessage = status === 200 && httpMethod !== "HEAD" && /^application\/(?:json|proto)/.test(type);
  const end = isMessage ? {} : { error: parsed(content.toString()) };
  return { status, isJson, messages: isMessage ? [content] : [], rest: 0, ...readEnd({ ...fields, ...end }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** The error of a response, and everything else. */
function readEnd(fields: Readonly<Record<string, unknown>>) {
  const {
    "grpc-status": status = "0",
    "grpc-message": message = "",
    "grpc-status-details-bin": binary,
    error,
    ...metadata
  } = fields;
  const {
    code = Number(status),
    message: text = percentDecoded(String(message)),
    details,
    ...others
  } = Object(error);
  return {
    metadata: { ...metadata, ...others },
    code: numberOf(code),
    text: String(text),
    details: typesOf(binary, details),
  };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The number of a code, which Connect sends as its name. */
function numberOf(code: unknown): unknown {
  const name = String(code).replaceAll(/(?:^|_)[a-z]/g, (part) => part.replace("_", "").toUpperCase());
  return Number.isNaN(Number(code)) ? Code[name as keyof typeof Code] : code;
}

function typesOf(binary: unknown, json: unknown): readonly string[] {
  const types = Array.isArray(json)
    ? json.map((detail: { type?: string }) => detail.type ?? "")
    : decodeBinaryHeader(String(binary ?? ""), StatusSchema).details.map(
        ({ typeUrl }) => typeUrl.split("/")[1] ?? "",
      );
  return types.filter((type) => !type.startsWith("google.rpc."));
}

/** Decompresses content in an encoding. */
function inflated(bytes: Buffer, encoding: string | undefined): Buffer {
  // A response to HEAD has the headers of a compressed body.
  if (bytes.length === 0) {
    return bytes;
  }
  return encoding === "gzip" ? gunzipSync(bytes) : encoding === "br" ? brotliDecompressSync(bytes) : bytes;
}

/** The messages of a stream, and what is at its end. */
function readEnvelopes(body: Buffer, encoding: string | undefined) {
  const messages: Buffer[] = [];
  let end: Record<string, unknown> = {};
  let at = 0;
  while (at + 5 <= body.length) {
    const flags = body[at] ?? 0;
    const next = at + 5 + body.readUInt32BE(at + 1);
    const content = inflated(body.subarray(at + 5, next), (flags & 1) === 1 ? encoding : undefined);
    if ((flags & 0x80) !== 0) {
      end = readFields(
        content
          .toString("latin1")
          .split("\r\n")
          .filter((line) => line !== ""),
      );
    } else if ((flags & 2) !== 0) {
      const { metadata, ...others } = JSON.parse(content.toString());
      end = { ...others, ...metadata };
    } else {
      messages.push(content);
    }
    at = next;
  }
  return { messages, end, rest: body.length - at };
}
