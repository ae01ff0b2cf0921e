import { type DescMethod, toBinary, toJsonString } from "@bufbuild/protobuf";
import { SpecimenSchema } from "../../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import type { Random } from "../../fuzz/random.js";
import { anyReference, messageOf, REGISTRY } from "./messages.js";
import { CHANGES, type Draft, type RawProtocol } from "./raw-changes.js";
import { anyScript, CALL, formatScript, SCRIPT } from "./script.js";
import type { HttpVersion } from "./servers.js";
import { METHODS } from "./service.js";

/** A request as bytes, with one or two parts changed. */
export interface RawRequest {
  readonly kind: "raw";
  readonly method: DescMethod;
  readonly protocol: RawProtocol;
  readonly isBinary: boolean;
  readonly http: HttpVersion;
  /** The names of the changes. */
  readonly changes: readonly string[];
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Any request with a change. */
export function anyRawRequest(random: Random): RawRequest {
  const [firstMethod, ...others] = METHODS;
  if (firstMethod === undefined) {
    throw new Error("the service has methods");
  }
  const protocol = random.pick<RawProtocol>(["grpc", "grpc-web", "connect", "connect", "get"]);
  let method = random.pick([firstMethod, ...others]);
  if (protocol === "get") {
    method = METHODS.find(({ name }) => name.endsWith("Get") && random.oneIn(2)) ?? method;
  }
  const takesStream = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  const givesStream = method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming";
  const isBinary = random.oneIn(2);
  const isPrefixed = protocol.startsWith("grpc") || (protocol === "connect" && method.methodKind !== "unary");
  const draft: Draft = {
    random,
    protocol,
    isBinary,
    isPrefixed,
    httpMethod: protocol === "get" ? "GET" : "POST",
    path: `/test.Service/${method.name}`,
    query: new URLSearchParams(),
    headers: {},
    messages: Array.from({ length: takesStream ? random.below(3) : 1 }, () => ({
      flags: 0,
      bytes: anyBytes(random, isBinary),
    })),
    tail: Buffer.alloc(0),
  };
  const codec = isBinary ? "proto" : "json";
  if (protocol !== "get") {
    draft.headers["content-type"] =
      protocol === "connect"
        ? `application/${isPrefixed ? "connect+" : ""}${codec}`
        : `application/${protocol}+${codec}`;
  }
  if (protocol === "grpc") {
    draft.headers["te"] = "trailers";
  }
  if (protocol === "get") {
    draft.query.set("connect", "v1");
    draft.query.set("encoding", codec);
  }
  const picked = Array.from({ length: random.oneIn(5) ? 2 : 1 }, () => random.pick(CHANGES));
  // Once each, and in the order of the list: messages are compressed after they have been changed.
  const chosen = CHANGES.filter((change) => picked.includes(change));
  const early = chosen.filter(([name]) => name !== "query");
  const late = chosen.filter(([name]) => name === "query");
  for (const [, apply] of early) {
    apply(draft);
  }
  if (protocol === "get") {
    const bytes = draft.messages[0]?.bytes;
    if (bytes !== undefined) {
      const isText = !isBinary && draft.query.get("compression") === null && random.oneIn(2);
      draft.query.set("message", isText ? bytes.toString() : bytes.toString("base64url"));
      if (!isText) {
        draft.query.set("base64", "1");
      }
    }
  }
  for (const [, apply] of late) {
    apply(draft);
  }
  const query = protocol === "get" ? `?${draft.query}` : "";
  const hasBody = protocol !== "get" && draft.httpMethod !== "GET" && draft.httpMethod !== "HEAD";
  const script = anyScript(random, takesStream, givesStream);
  return {
    kind: "raw",
    method,
    protocol,
    isBinary,
    http: protocol === "grpc" || method.methodKind === "bidi_streaming" ? "2" : random.pick(["1.1", "2"]),
    changes: chosen.map(([name]) => name),
    httpMethod: draft.httpMethod,
    path: draft.path + query,
    headers: { ...draft.headers, [SCRIPT]: formatScript(script), [CALL]: "" },
    body: hasBody ? bodyOf(draft) : Buffer.alloc(0),
  };
}

function anyBytes(random: Random, isBinary: boolean): Buffer {
  const message = messageOf({ ...anyReference(random), size: 0 });
  return Buffer.from(
    isBinary
      ? toBinary(SpecimenSchema, message)
      : toJsonString(SpecimenSchema, message, { registry: REGISTRY }),
  );
}

function bodyOf({ isPrefixed, messages, tail }: Draft): Buffer {
  const parts = messages.flatMap(({ flags, bytes, length }) => {
    const prefix = Buffer.alloc(5);
    prefix[0] = flags;
    prefix.writeUInt32BE(length ?? bytes.length, 1);
    return isPrefixed ? [prefix, bytes] : [bytes];
  });
  return Buffer.concat([...parts, tail]);
}
