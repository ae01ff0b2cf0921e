import { brotliCompressSync, gzipSync } from "node:zlib";
import type { DescMethod } from "@bufbuild/protobuf";
import { damage, type Random } from "../../lib/random.js";
import type { RawRequest } from "../../lib/raw-client.js";

/** The form of a request, of which a part is changed. */
export type RpcProtocol = "grpc" | "grpc-web" | "connect" | "get";

/** What a request is made of. */
interface RpcParts {
  readonly protocol: RpcProtocol;
  readonly isBinary: boolean;
  readonly method: DescMethod;
  readonly path: string;
  /** Encoded, without prefix. */
  readonly messages: readonly Uint8Array[];
  /** The limit of the server in bytes. */
  readonly maxMessage: number;
}

/** A request before its bytes are put together. */
interface Draft extends Omit<RpcParts, "messages" | "path"> {
  readonly random: Random;
  /** Whether messages have prefixes. */
  readonly isPrefixed: boolean;
  httpMethod: string;
  path: string;
  readonly query: URLSearchParams;
  readonly headers: Record<string, string>;
  /** The messages without prefix, with their flags and a wrong length. */
  messages: { flags: number; bytes: Uint8Array; length?: number }[];
  /** Follows the messages. */
  tail: Buffer;
}

/** A request with the names of its changes. */
export type RpcRequest = Omit<RawRequest, "http"> & { readonly changes: readonly string[] };

/** Creates a request as the protocol defines it, with one or two of the changes. */
export function changedRpcRequest(random: Random, parts: RpcParts): RpcRequest {
  const picked = Array.from({ length: random.oneIn(5) ? 2 : 1 }, () => random.pick(Object.keys(CHANGES)));
  const { protocol, method, isBinary, path } = parts;
  const isGet = protocol === "get";
  const isConnect = protocol === "connect";
  const isPrefixed = protocol.startsWith("grpc") || (isConnect && method.methodKind !== "unary");
  const codec = isBinary ? "proto" : "json";
  const type = isConnect
    ? `application/${isPrefixed ? "connect+" : ""}${codec}`
    : `application/${protocol}+${codec}`;
  const draft: Draft = {
    ...parts,
    random,
    path,
    isPrefixed,
    httpMethod: isGet ? "GET" : "POST",
    query: new URLSearchParams(isGet ? { connect: "v1", encoding: codec } : {}),
    headers: { ...(!isGet && { "content-type": type }), ...(protocol === "grpc" && { te: "trailers" }) },
    messages: parts.messages.map((bytes) => ({ flags: 0, bytes })),
    tail: Buffer.alloc(0),
  };
  // Once each, and in the order of the list: messages are compressed after they have been changed.
  const changes = Object.keys(CHANGES).filter((name) => picked.includes(name));
  for (const name of changes.filter((each) => each !== "query")) {
    CHANGES[name]?.(draft);
  }
  const bytes = draft.messages[0]?.bytes;
  if (isGet && bytes !== undefined) {
    const isText = !isBinary && draft.query.get("compression") === null && random.oneIn(2);
    draft.query.set("message", Buffer.from(bytes).toString(isText ? "utf8" : "base64url"));
    if (!isText) {
      draft.query.set("base64", "1");
    }
  }
  if (changes.includes("query")) {
    CHANGES.query?.(draft);
  }
  const hasBody = !isGet && draft.httpMethod !== "GET" && draft.httpMethod !== "HEAD";
  const body = hasBody ? bodyOf(draft) : Buffer.alloc(0);
  return {
    changes,
    httpMethod: draft.httpMethod,
    target: draft.path + (isGet ? `?${draft.query}` : ""),
    headers: Object.entries(draft.headers),
    body,
  };
}

function bodyOf({ isPrefixed, messages, tail }: Draft): Buffer {
  const parts = messages.flatMap(({ flags, bytes, length }) => {
    const prefix = Buffer.alloc(5, flags);
    prefix.writeUInt32BE(length ?? bytes.length, 1);
    return isPrefixed ? [prefix, bytes] : [bytes];
  });
  return Buffer.concat([...parts, tail]);
}

function setEncoding({ protocol, query, headers, isPrefixed }: Draft, name: string): void {
  if (protocol === "get") {
    query.set("compression", name);
  } else if (protocol === "connect") {
    headers[isPrefixed ? "connect-content-encoding" : "content-encoding"] = name;
  } else {
    headers["grpc-encoding"] = name;
  }
}

/** Sets the encoding, and changes all messages, which are said to be compressed. */
function compress(draft: Draft, name: string | undefined, change: (bytes: Uint8Array) => Uint8Array): void {
  if (name !== undefined) {
    setEncoding(draft, name);
  }
  for (const message of draft.messages) {
    message.bytes = change(message.bytes);
    message.flags |= 1;
  }
}

function changeMessage({ messages: [first] }: Draft, change: (bytes: Uint8Array) => Uint8Array): void {
  if (first !== undefined) {
    first.bytes = change(first.bytes);
  }
}

/** A header whose name depends on the protocol. */
const header =
  (grpc: string, connect: string, prefixed: string, values: readonly string[]) =>
  ({ headers, protocol, isPrefixed, random }: Draft): void => {
    const name = protocol.startsWith("grpc") ? grpc : isPrefixed ? prefixed : connect;
    headers[name] = random.pick(values);
  };

/** JSON that is malformed, or that most messages do not have. */
const JSON_TEXTS = String.raw`
 ~ { ~ [] ~ null ~ 1 ~ "a" ~ {"unknownField":1} ~ {"unknown_field":{"a":[1]}} ~ {"stringValue":1} ~ {"int32Value":"x"}
 ~ {"int32Value":1.5} ~ {"int32Value":99999999999} ~ {"boolValue":"true"} ~ {"genre":"GENRE_NONE"} ~ {"genre":77}
 ~ {"chosenText":"a","chosenFlag":true} ~ {"stringValue":"a","stringValue":"b"} ~ {"string_value":"a"}
 ~ {"timestamp":"yesterday"} ~ {"duration":"1"} ~ {"bytesValue":"?"} ~ {"nested":null,"strings":null} ~ {"strings":[null]}
 ~ {"any":{"@type":"type.googleapis.com/none.Type"}} ~ {"stringValue":"\ud800"} ~  {"stringValue" : "a"}  ~ {"stringValue":"a"}x
 ~ ${"\ufeff"}{"stringValue":"a"} ~ {"doubleValue":"NaN","floatValue":"-Infinity","doubleBox":"Infinity"} ~ {"stringValue":"a",}`.split(
  /\n? ~ /,
);

/** What follows a message, or takes its place, in hexadecimal: an end of a group, cut fields, an unknown field, repeated ones. */
const BINARY = "+0b 720561 ffffff 7202c328 fa7f0161 720161720162 0001 18ffffffffffffffffffff01".split(" ");

const TYPES = [
  ..."grpc+thrift grpc;charset=utf-8 connect+json;charset=utf-8 json;charset=latin1 JSON".split(" "),
  ..."x-protobuf connect+proto proto jsonx grpc-web+json;charset=utf-8".split(" "),
  ...["json; charset=utf-8", 'json; charset="utf-8"', "proto; charset=utf-8", "/../text/plain"],
  "/../multipart/form-data",
];

/** All changes. */
const CHANGES: Readonly<Record<string, (draft: Draft) => void>> = {
  nothing: () => {},
  "content type": ({ headers, random }) => {
    headers["content-type"] = `application/${random.pick(TYPES)}`.replace("application//../", "");
  },
  "no content type": ({ headers }) => void delete headers["content-type"],
  "HTTP method": (draft) => {
    draft.httpMethod = draft.random.pick(["GET", "PUT", "DELETE", "PATCH", "HEAD", "POST"]);
  },
  path: (draft) => {
    const { path, random } = draft;
    const shorter = path.replace(/\/\w+$/, "");
    draft.path = random.pick(["/test.Service/None", "/none.Service/Ask", "/", `${path}/`, shorter]);
  },
  "too large": (draft) =>
    changeMessage(draft, () => Buffer.alloc(draft.maxMessage + 1 + draft.random.below(9))),
  large: (draft) => {
    const text = draft.isBinary
      ? `\x72\xf4\x03${"a".repeat(500)}`
      : `{"stringValue":"${"a".repeat(50_000)}"}`;
    changeMessage(draft, () => Buffer.from(text, "latin1"));
  },
  "malformed message": (draft) =>
    changeMessage(draft, (bytes) => {
      const hex = draft.random.pick(BINARY);
      const isAdded = hex.startsWith("+");
      return draft.isBinary
        ? Buffer.concat([isAdded ? bytes : Buffer.alloc(0), Buffer.from(hex.slice(isAdded ? 1 : 0), "hex")])
        : Buffer.from(draft.random.pick(JSON_TEXTS));
    }),
  "bytes of the message": (draft) =>
    changeMessage(draft, (bytes) => (bytes.length === 0 ? bytes : damage(draft.random, bytes))),
  "unknown encoding": (draft) =>
    setEncoding(draft, draft.random.pick(["zstd", "GZIP", "gzip, br", "deflate"])),
  identity: (draft) => setEncoding(draft, "identity"),
  compressed: (draft) =>
    draft.random.oneIn(2) ? compress(draft, "gzip", gzipSync) : compress(draft, "br", brotliCompressSync),
  "malformed compression": (draft) =>
    compress(draft, draft.random.pick(["gzip", "br"]), (bytes) =>
      Buffer.concat([bytes, Buffer.from("not compressed")]),
    ),
  "incomplete compression": (draft) =>
    compress(draft, "gzip", (bytes) => gzipSync(bytes).subarray(0, -1 - draft.random.below(12))),
  bomb: (draft) =>
    compress(draft, "gzip", () =>
      gzipSync(Buffer.alloc(draft.maxMessage + 1 + draft.random.below(1_000_000))),
    ),
  "encoding without compression": (draft) => setEncoding(draft, "gzip"),
  "compressed without encoding": (draft) => compress(draft, undefined, (bytes) => bytes),
  "accepted encodings": header("grpc-accept-encoding", "accept-encoding", "connect-accept-encoding", [
    ..."zstd zstd,gzip * identity".split(" "),
    ...["br;q=0, gzip", "br , gzip", ""],
  ]),
  timeout: header("grpc-timeout", "connect-timeout-ms", "connect-timeout-ms", [
    ..."x -1 1.5 99999999999 12345678901S 60000 100S 1H 1h S".split(" "),
    ...["1 0S", ""],
  ]),
  "trailing bytes": (draft) => {
    draft.tail = Buffer.from(draft.random.pick(["\0", "\0\0\0\0", "garbage that is long", "\0\0\0\0\x01"]));
  },
  "no message": (draft) => {
    draft.messages = [];
  },
  "two messages": (draft) => {
    const [first = { flags: 0, bytes: Buffer.alloc(0) }] = draft.messages;
    draft.messages = [first, { ...first }];
  },
  flags: ({ messages, random }) => {
    const flags = random.pick([2, 4, 0x80, 0x81, 0x40, 0xff]);
    for (const message of messages) {
      message.flags = flags;
    }
  },
  length: ({ messages, random }) => {
    for (const message of messages) {
      const { length } = message.bytes;
      message.length = random.pick([length + 1, Math.max(length - 1, 0), 2 ** 31, 2 ** 32 - 1]);
    }
  },
  "version of Connect": ({ headers, query, random }) => {
    const version = random.pick(["", "1", "2"]);
    headers["connect-protocol-version"] = version;
    query.set("connect", `v${version}`);
  },
  query: ({ query, random }) => {
    const name = random.pick(["message", "encoding", "base64", "compression", "connect", "extra"]);
    const value = random.pick(["", "1", "0", "json", "proto", "%%%", "YQ", "YQ==", "?", "{}"]);
    if (random.oneIn(3)) {
      query.delete(name);
    } else {
      random.oneIn(2) ? query.set(name, value) : query.append(name, value);
    }
  },
};
