import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Random } from "../../fuzz/random.js";
import { MAX_REQUEST_BYTES } from "./servers.js";

/** The form of a request, of which a part is changed. */
export type RawProtocol = "grpc" | "grpc-web" | "connect" | "get";

/** A request before its bytes are put together. */
export interface Draft {
  readonly random: Random;
  readonly protocol: RawProtocol;
  readonly isBinary: boolean;
  readonly isPrefixed: boolean;
  httpMethod: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  /** The messages without prefix, and their flags. */
  messages: { flags: number; bytes: Buffer; length?: number }[];
  /** Follows the messages. */
  tail: Buffer;
}

/** A change with its name. */
export type Change = readonly [name: string, apply: (draft: Draft) => void];

const encodingHeader = ({ protocol, isPrefixed }: Draft): string =>
  protocol === "connect" ? (isPrefixed ? "connect-content-encoding" : "content-encoding") : "grpc-encoding";
const acceptHeader = ({ protocol, isPrefixed }: Draft): string =>
  protocol === "connect" || protocol === "get"
    ? isPrefixed
      ? "connect-accept-encoding"
      : "accept-encoding"
    : "grpc-accept-encoding";
const timeoutHeader = ({ protocol }: Draft): string =>
  protocol === "connect" || protocol === "get" ? "connect-timeout-ms" : "grpc-timeout";

function setEncoding(draft: Draft, name: string): void {
  if (draft.protocol === "get") {
    draft.query.set("compression", name);
  } else {
    draft.headers[encodingHeader(draft)] = name;
  }
}

function changeMessage(draft: Draft, change: (bytes: Buffer) => Buffer): void {
  const [first] = draft.messages;
  if (first !== undefined) {
    first.bytes = change(first.bytes);
  }
}

const JSON_TEXTS = [
  "",
  "{",
  "[]",
  "null",
  "1",
  '"a"',
  '{"unknownField":1}',
  '{"unknown_field":{"a":[1]}}',
  '{"stringValue":1}',
  '{"int32Value":"x"}',
  '{"int32Value":1.5}',
  '{"int32Value":99999999999}',
  '{"boolValue":"true"}',
  '{"genre":"GENRE_NONE"}',
  '{"genre":77}',
  '{"chosenText":"a","chosenFlag":true}',
  '{"stringValue":"a","stringValue":"b"}',
  '{"string_value":"a"}',
  '{"timestamp":"yesterday"}',
  '{"duration":"1"}',
  '{"bytesValue":"?"}',
  '{"nested":null,"strings":null}',
  '{"strings":[null]}',
  '{"any":{"@type":"type.googleapis.com/none.Type"}}',
  '{"stringValue":"\\ud800"}',
  ' {"stringValue" : "a"} ',
  '{"stringValue":"a"}x',
  '\ufeff{"stringValue":"a"}',
  '{"doubleValue":"NaN","floatValue":"-Infinity","doubleBox":"Infinity"}',
  '{"stringValue":"a",}',
] as const;

/** All changes. */
export const CHANGES: readonly [Change, ...Change[]] = [
  ["nothing", () => {}],
  [
    "content type",
    ({ headers, random }) => {
      headers["content-type"] = random.pick([
        "application/grpc+thrift",
        "application/grpc;charset=utf-8",
        "application/grpc-web+json; charset=utf-8",
        "application/connect+json;charset=utf-8",
        "application/json; charset=utf-8",
        'application/json; charset="utf-8"',
        "application/json;charset=latin1",
        "application/JSON",
        "application/proto; charset=utf-8",
        "application/x-protobuf",
        "application/connect+proto",
        "application/proto",
        "text/plain",
        "application/jsonx",
        "multipart/form-data",
      ]);
    },
  ],
  ["no content type", ({ headers }) => void delete headers["content-type"]],
  [
    "HTTP method",
    (draft) => {
      draft.httpMethod = draft.random.pick(["GET", "PUT", "DELETE", "PATCH", "HEAD", "POST"]);
    },
  ],
  [
    "path",
    (draft) => {
      draft.path = draft.random.pick([
        "/test.Service/None",
        "/none.Service/Ask",
        "/",
        `${draft.path}/`,
        "/test.Service",
      ]);
    },
  ],
  [
    "too large",
    (draft) => changeMessage(draft, () => Buffer.alloc(MAX_REQUEST_BYTES + 1 + draft.random.below(9))),
  ],
  [
    "large",
    (draft) =>
      changeMessage(draft, () =>
        Buffer.from(
          draft.isBinary ? `\x72\xf4\x03${"a".repeat(500)}` : `{"stringValue":"${"a".repeat(50_000)}"}`,
          "latin1",
        ),
      ),
  ],
  [
    "malformed message",
    (draft) =>
      changeMessage(draft, (bytes) => {
        const { random, isBinary } = draft;
        if (!isBinary) {
          return Buffer.from(random.pick(JSON_TEXTS));
        }
        return random.pick([
          () => Buffer.concat([bytes, Buffer.from([0x0b])]),
          () => Buffer.from([0x72, 0x05, 0x61]),
          () => Buffer.from([0xff, 0xff, 0xff]),
          () => Buffer.from([0x72, 0x02, 0xc3, 0x28]),
          () => Buffer.from([0xfa, 0x7f, 0x01, 0x61]),
          () => Buffer.from([0x72, 0x01, 0x61, 0x72, 0x01, 0x62]),
          () => Buffer.from([0x00, 0x01]),
          () => Buffer.from([0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
        ])();
      }),
  ],
  [
    "bytes of the message",
    (draft) =>
      changeMessage(draft, (bytes) => {
        const changed = Buffer.from(bytes);
        if (changed.length > 0) {
          changed[draft.random.below(changed.length)] = draft.random.below(256);
        }
        return changed;
      }),
  ],
  [
    "unknown encoding",
    (draft) => setEncoding(draft, draft.random.pick(["zstd", "GZIP", "gzip, br", "deflate"])),
  ],
  ["identity", (draft) => setEncoding(draft, "identity")],
  [
    "compressed",
    (draft) => {
      const name = draft.random.pick(["gzip", "br"]);
      setEncoding(draft, name);
      for (const message of draft.messages) {
        message.bytes = name === "gzip" ? gzipSync(message.bytes) : brotliCompressSync(message.bytes);
        message.flags |= 1;
      }
    },
  ],
  [
    "malformed compression",
    (draft) => {
      setEncoding(draft, draft.random.pick(["gzip", "br"]));
      for (const message of draft.messages) {
        message.bytes = Buffer.concat([message.bytes, Buffer.from("not compressed")]);
        message.flags |= 1;
      }
    },
  ],
  [
    "incomplete compression",
    (draft) => {
      setEncoding(draft, "gzip");
      for (const message of draft.messages) {
        const bytes = gzipSync(message.bytes);
        message.bytes = bytes.subarray(0, bytes.length - 1 - draft.random.below(12));
        message.flags |= 1;
      }
    },
  ],
  [
    "bomb",
    (draft) => {
      setEncoding(draft, "gzip");
      for (const message of draft.messages) {
        message.bytes = gzipSync(Buffer.alloc(MAX_REQUEST_BYTES + 1 + draft.random.below(1_000_000)));
        message.flags |= 1;
      }
    },
  ],
  ["encoding without compression", (draft) => setEncoding(draft, "gzip")],
  [
    "compressed without encoding",
    ({ messages }) => {
      for (const message of messages) {
        message.flags |= 1;
      }
    },
  ],
  [
    "accepted encodings",
    (draft) => {
      draft.headers[acceptHeader(draft)] = draft.random.pick([
        "zstd",
        "zstd,gzip",
        "br;q=0, gzip",
        "",
        "*",
        "identity",
        "br , gzip",
      ]);
    },
  ],
  [
    "timeout",
    (draft) => {
      draft.headers[timeoutHeader(draft)] = draft.random.pick([
        ...([
          "",
          "x",
          "-1",
          "1.5",
          "99999999999",
          "12345678901S",
          "60000",
          "100S",
          "1H",
          "1h",
          "S",
          "1 0S",
        ] as const),
      ]);
    },
  ],
  [
    "trailing bytes",
    (draft) => {
      draft.tail = Buffer.from(draft.random.pick(["\0", "\0\0\0\0", "garbage that is long", "\0\0\0\0\x01"]));
    },
  ],
  [
    "no message",
    (draft) => {
      draft.messages = [];
    },
  ],
  [
    "two messages",
    (draft) => {
      const [first = { flags: 0, bytes: Buffer.alloc(0) }] = draft.messages;
      draft.messages = [first, { ...first }];
    },
  ],
  [
    "flags",
    ({ messages, random }) => {
      const flags = random.pick([2, 4, 0x80, 0x81, 0x40, 0xff]);
      for (const message of messages) {
        message.flags = flags;
      }
    },
  ],
  [
    "length",
    ({ messages, random }) => {
      for (const message of messages) {
        message.length = random.pick([
          message.bytes.length + 1,
          Math.max(message.bytes.length - 1, 0),
          2 ** 31,
          2 ** 32 - 1,
        ]);
      }
    },
  ],
  [
    "version of Connect",
    (draft) => {
      const version = draft.random.pick(["", "1", "2"]);
      draft.headers["connect-protocol-version"] = version;
      draft.query.set("connect", `v${version}`);
    },
  ],
  [
    "query",
    ({ query, random }) => {
      const name = random.pick(["message", "encoding", "base64", "compression", "connect", "extra"]);
      const value = random.pick(["", "1", "0", "json", "proto", "%%%", "YQ", "YQ==", "?", "{}"]);
      if (random.oneIn(3)) {
        query.delete(name);
      } else if (random.oneIn(2)) {
        query.set(name, value);
      } else {
        query.append(name, value);
      }
    },
  ],
];
