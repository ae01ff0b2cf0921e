import { Agent, type IncomingHttpHeaders, request as request1 } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { fromBinary, fromJsonString, type JsonValue } from "@bufbuild/protobuf";
import { Code, decodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "connect-transcoding/gen/google/rpc/status_pb.js";
import { SpecimenSchema } from "../../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import type { Observation } from "./calls.js";
import { describeMessage, REGISTRY } from "./messages.js";
import type { RawRequest } from "./raw-requests.js";
import { describeHeaders } from "./recorder.js";
import { CALL } from "./script.js";
import type { ComparedServer } from "./servers.js";

/** A response as bytes. */
interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The time in which a response must end, in milliseconds. */
const TIMEOUT = 15_000;

const agent = new Agent({ keepAlive: false });
const sessions = new Map<string, ClientHttp2Session>();

/** Sends a request. Resolves to all that the client and the server have seen. */
export async function observeRaw(server: ComparedServer, raw: RawRequest, id: string): Promise<Observation> {
  const port = server.portOf(raw.http);
  const headers = { ...raw.headers, [CALL]: id };
  const send = raw.http === "2" ? sendHttp2 : sendHttp1;
  const response = await send(port, { ...raw, headers }).then(
    (each) => describeResponse(each, raw),
    (error: unknown) => ({ failure: String(error) }),
  );
  const { events, running } = await server.recorder.take(id);
  return { client: response, server: events, running };
}

function sendHttp1(port: number, { httpMethod, path, headers, body }: RawRequest): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const request = request1(
      {
        host: "127.0.0.1",
        port,
        path,
        method: httpMethod,
        agent,
        timeout: TIMEOUT,
        headers: { ...headers, ...lengthOf(body) },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode = 0, trailers } = response;
          resolve({ status: statusCode, headers: response.headers, trailers, body: Buffer.concat(parts) });
        });
      },
    );
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error("timeout")));
    request.end(body);
  });
}

function lengthOf(body: Buffer): Record<string, string> {
  return body.length === 0 ? {} : { "content-length": String(body.length) };
}

function sendHttp2(port: number, { httpMethod, path, headers, body }: RawRequest): Promise<RawResponse> {
  const url = `http://127.0.0.1:${port}`;
  let session = sessions.get(url);
  if (session === undefined || session.closed || session.destroyed) {
    session = connect(url);
    session.on("error", () => {});
    sessions.set(url, session);
  }
  const stream = session.request(
    { ":method": httpMethod, ":path": path, ...headers },
    { endStream: body.length === 0 },
  );
  return new Promise((resolve, reject) => {
    let received: { status: number; headers: IncomingHttpHeaders } | undefined;
    let trailers: IncomingHttpHeaders = {};
    const parts: Buffer[] = [];
    const finish = (): void => {
      if (received === undefined) {
        reject(new Error("no response"));
      } else {
        resolve({ ...received, trailers, body: Buffer.concat(parts) });
      }
    };
    stream.setTimeout(TIMEOUT, () => {
      stream.destroy();
      reject(new Error("timeout"));
    });
    stream.on("response", ({ ":status": status = 0, ...rest }) => {
      received = { status, headers: rest };
    });
    stream.on("trailers", (fields) => {
      trailers = fields;
    });
    stream.on("data", (part: Buffer) => parts.push(part));
    stream.on("end", finish);
    stream.on("close", finish);
    // A server may reset the rest of a request that it has answered.
    stream.on("error", () => {});
    if (body.length > 0) {
      stream.end(body);
    }
  });
}

/**
 * What a response says, without the differences of form that {@link DELIBERATE_IN_CALLS} lists: gRPC's trailers can be headers, and
 * errors have texts in several encodings.
 */
function describeResponse({ status, headers, trailers, body }: RawResponse, raw: RawRequest): unknown {
  const type = headers["content-type"] ?? "";
  const encoding = String(headers["content-encoding"] ?? "");
  const streamEncoding = String(headers["grpc-encoding"] ?? headers["connect-content-encoding"] ?? "");
  const metadata = describeHeaders(toHeaders({ ...headers, ...trailers }));
  for (const name of OMITTED) {
    delete metadata[name];
  }
  if (/^application\/(?:grpc|connect\+)/.test(type)) {
    const { messages, end, rest } = envelopesOf(body, streamEncoding, type.includes("json"));
    return { status, messages, rest, ...describeEnd({ ...metadata, ...end }) };
  }
  const { message, ...error } = describeContent(inflated(body, encoding), type, status, raw);
  return {
    status,
    messages: message === undefined ? [] : [message],
    ...describeEnd({ ...metadata, ...error }),
  };
}

/** Headers that are about the encoding, or that {@link DELIBERATE_IN_CALLS} lists. */
const OMITTED = [
  "content-length",
  "content-encoding",
  "grpc-encoding",
  "connect-content-encoding",
  "x-content-type-options",
  "vary",
];

/** The error of a response, and everything else. */
function describeEnd(fields: Record<string, unknown>): object {
  const {
    "grpc-status": status = "0",
    "grpc-message": message = "",
    "grpc-status-details-bin": details,
    ...metadata
  } = fields;
  const {
    code = Number(status),
    message: text = decodeURIComponent(String(message)),
    ...others
  } = Object(fields["error"]);
  return {
    metadata: { ...metadata, error: undefined },
    code: numberOf(code),
    text,
    details: detailsOf(details, others.details),
  };
}

/** The number of a code, which Connect sends as its name. */
function numberOf(code: unknown): unknown {
  const name = String(code).replaceAll(/(?:^|_)[a-z]/g, (part) => part.replace("_", "").toUpperCase());
  return Number.isNaN(Number(code)) ? Code[name as keyof typeof Code] : code;
}

/** The types of the details of an error. */
function detailsOf(binary: unknown, json: unknown): readonly string[] {
  const types = Array.isArray(json)
    ? json.map((detail: { type: string }) => detail.type)
    : decodeBinaryHeader(String(binary ?? ""), StatusSchema).details.map(
        ({ typeUrl }) => typeUrl.split("/")[1] ?? "",
      );
  return types.filter((type) => !type.startsWith("google.rpc."));
}

function toHeaders(fields: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith(":") && value !== undefined) {
      headers.set(name, String(value));
    }
  }
  return headers;
}

function describeContent(
  body: Buffer,
  type: string,
  status: number,
  { httpMethod }: RawRequest,
): Record<string, unknown> {
  if (status === 200 && httpMethod !== "HEAD" && /^application\/(?:json|proto)/.test(type)) {
    return { message: describeEnvelope(body, type.includes("json")) };
  }
  try {
    return { error: JSON.parse(body.toString()) as JsonValue };
  } catch {
    return { text: body.toString() };
  }
}

function inflated(bytes: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case "gzip":
      return gunzipSync(bytes);
    case "br":
      return brotliDecompressSync(bytes);
    default:
      return bytes;
  }
}

/** The messages of a stream, and what is at its end. */
function envelopesOf(
  body: Buffer,
  encoding: string,
  isJson: boolean,
): { messages: string[]; end: Record<string, unknown>; rest: number } {
  const messages: string[] = [];
  let fields: Record<string, unknown> = {};
  let at = 0;
  while (at + 5 <= body.length) {
    const flags = body[at] ?? 0;
    const end = at + 5 + body.readUInt32BE(at + 1);
    const content = body.subarray(at + 5, end);
    const whole = (flags & 1) === 1 ? inflated(content, encoding) : content;
    if ((flags & 0x80) !== 0) {
      fields = trailersIn(whole.toString("latin1"));
    } else if ((flags & 2) !== 0) {
      const { metadata, ...others } = JSON.parse(whole.toString()) as Record<string, unknown>;
      fields = { ...others, ...Object(metadata) };
    } else {
      messages.push(describeEnvelope(whole, isJson));
    }
    at = end;
  }
  return { messages, end: fields, rest: body.length - at };
}

function trailersIn(text: string): Record<string, string> {
  const headers = new Headers();
  for (const line of text.split("\r\n").filter((each) => each !== "")) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return describeHeaders(headers);
}

function describeEnvelope(content: Buffer, isJson: boolean): string {
  return describeMessage(
    isJson
      ? fromJsonString(SpecimenSchema, content.toString(), { registry: REGISTRY })
      : fromBinary(SpecimenSchema, content),
  );
}
