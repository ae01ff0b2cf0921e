import { PassThrough } from "node:stream";
import { create, fromBinary, toBinary, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { createNodeHttpClient } from "@connectrpc/connect-node";
import { BookSchema, GetBookRequestSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { framed } from "connect-transcoding-testing/grpc-stream.js";
import { shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { IncomingRequest, RequestRecord } from "../../../src/call/http/request-record.js";
import { Base64Decoder } from "../../../src/protocols/grpc-web/format.js";
import { useHttp1, useHttp2, useOnePort } from "../../support/servers.js";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const latin1 = (text: string) => Buffer.from(text, "latin1");

const MALFORMED = "the body must be base64 with padding (RFC 4648, section 4), but";
const INCOMPLETE = `${MALFORMED} it ends within a group of 4 characters`;
const invalidAt = (offset: number) => `${MALFORMED} the group of 4 characters at offset ${offset} is invalid`;

describe("a decoder of base64", () => {
  async function decode(...texts: readonly string[]): Promise<Buffer> {
    const decoder = new Base64Decoder();
    const bytes = Buffer.concat(texts.map((text) => decoder.decode(latin1(text))));
    decoder.end();
    return bytes;
  }

  /** Cuts a text at positions, which are taken modulo its length. */
  function cut(text: string, positions: readonly number[]): string[] {
    const at = positions.map((position) => position % (text.length + 1)).sort((a, b) => a - b);
    return [...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end));
  }

  test("decodes padded texts in sequence, wherever they are cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array()), fc.array(fc.nat()), async (parts, positions) => {
        const text = parts.map(base64).join("");
        expect(await decode(...cut(text, positions))).toEqual(Buffer.concat(parts));
      }),
    );
  });

  test("decodes each group when it is complete", async () => {
    const decoder = new Base64Decoder();
    const chunks = ["Q", "UJDR", "EVGRw==", "S", "A=", "="].map(latin1);
    const decoded = chunks.map((chunk) => Buffer.from(decoder.decode(chunk)).toString());
    expect(decoded).toEqual(["", "ABC", "DEFG", "", "", "H"]);
  });

  test.each([
    ["nothing", "", ""],
    ["no padding", "QUJD", "ABC"],
    ["padding in the middle", "QQ==QUI=QUJD", "AABABC"],
    // RFC 4648, section 3.5: decoders may ignore them.
    ["unused bits that are not zero", "QR==", "A"],
  ])("accepts %s", async (_name, text, expected) => {
    expect((await decode(text)).toString()).toBe(expected);
  });

  test.each([
    ["one character", "Q", INCOMPLETE],
    ["two characters", "QUJDQQ", INCOMPLETE],
    ["three characters", "QUI", INCOMPLETE],
    ["incomplete padding", "QQ=", INCOMPLETE],
    ["padding instead of two characters", "Q===", invalidAt(0)],
    ["padding instead of a group", "====", invalidAt(0)],
    ["padding that begins a group", "=QQQ", invalidAt(0)],
    ["padding within a group", "QUJDQQ=Q", invalidAt(4)],
    ["a group of padding after padding", "QQ======", invalidAt(4)],
    ["the alphabet for URLs, -", "QUJDQUI-", invalidAt(4)],
    ["the alphabet for URLs, _", "_UJD", invalidAt(0)],
    ["a space", "QUJDQU JDQUJ", invalidAt(4)],
    ["a line break", "QUJD\r\nQQ", invalidAt(4)],
    ["a final line break", "QUJD\n", INCOMPLETE],
    ["a control character", "QUJ\0", invalidAt(0)],
    ["a byte that is not ASCII", "QU\u00ffD", invalidAt(0)],
    ["a binary frame", "\0\0\0\0\x01\x08\0\0", invalidAt(0)],
  ])("rejects %s", async (_name, text, rawMessage) => {
    for (let position = 0; position <= text.length; position++) {
      await expect(decode(...cut(text, [position]))).rejects.toMatchObject({
        code: Code.InvalidArgument,
        rawMessage,
      });
    }
  });

  test.each([0, 1, 2, 3])(
    "rejects every byte that is not base64, as character %i of a group",
    async (index) => {
      const others = Array.from({ length: 256 }, (_, byte) => byte).filter(
        (byte) => !/[A-Za-z0-9+/=]/.test(String.fromCharCode(byte)),
      );
      expect(others).toHaveLength(256 - 65);
      for (const byte of others) {
        const text = `QUJD${"Q".repeat(index)}${String.fromCharCode(byte)}${"Q".repeat(3 - index)}`;
        await expect(decode(text)).rejects.toMatchObject({ rawMessage: invalidAt(4) });
      }
    },
  );
});

const records: RequestRecord[] = [];
let release = (): void => {};
const MAX_BYTES = 60;
const options = {
  readMaxBytes: MAX_BYTES,
  routes: shelfRoutes({
    async *watchBook({ name }) {
      // Before the first message: a client can have it before the handler continues.
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      yield { name };
      await released;
      yield { name, pages: 1 };
    },
  }),
  transcoding: {
    onRequest: (request: IncomingRequest) => {
      if (request.header("x-reject") !== undefined) {
        throw new ConnectError("the key is wrong", Code.Unauthenticated);
      }
    },
    observers: [{ onEnd: (record: RequestRecord) => void records.push(record) }],
  },
};
const http1 = useHttp1(options);
const http2 = useHttp2(options);
const onePort = useOnePort(options);
afterEach(() => {
  records.length = 0;
});

const TEXT = "application/grpc-web-text";
const TEXT_PROTO = `${TEXT}+proto`;
/** A name with which requests and responses need padding. */
const BOOK = "shelves/1/books/12";
const request = (name: string) =>
  framed(toBinary(GetBookRequestSchema, create(GetBookRequestSchema, { name })));

describe.each([
  ["node:http", "1.1", http1],
  ["node:http2", "2", http2],
  ["one port, HTTP/1.1", "1.1", onePort],
  ["one port, HTTP/2", "2", onePort],
] as const)("gRPC-Web in text form on %s", (_name, httpVersion, server) => {
  const send = createNodeHttpClient({ httpVersion });

  function post(
    path: string,
    body: string | AsyncIterable<Uint8Array>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    return send({
      url: `${server.url}/test.Service/${path}`,
      method: "POST",
      header: new Headers({ "content-type": TEXT, ...headers }),
      body: typeof body === "string" ? createAsyncIterable([latin1(body)]) : body,
    });
  }

  async function outcomeOf(...call: Parameters<typeof post>) {
    const { status, header, body } = await post(...call);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) {
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString("latin1");
    return { status, type: header.get("content-type"), grpcStatus: header.get("grpc-status"), text };
  }

  const TITLE = "read by ";
  const RESPONSE = framed(
    toBinary(
      BookSchema,
      create(BookSchema, { name: BOOK, title: TITLE, authorNames: [""], isbn: 9007199254740993n }),
    ),
  );
  const trailers = (lines: string) => framed(Buffer.from(lines), { flags: 0x80 });
  const OK = trailers("grpc-status: 0\r\nx-returned: \r\n");
  const SUCCESS = { status: 200, type: TEXT_PROTO, grpcStatus: null, text: base64(RESPONSE) + base64(OK) };

  test.each([TEXT, TEXT_PROTO, "Application/gRPC-Web-Text"])("serves a unary call as %s", async (type) => {
    expect(await outcomeOf("GetBook", base64(request(BOOK)), { "content-type": type })).toEqual(SUCCESS);
    // The message has padding of its own.
    expect(SUCCESS.text).toMatch(/=[^=]+/);
  });

  test("accepts a request of several padded texts, in any chunks", async () => {
    const bytes = request(BOOK);
    const text = [bytes.subarray(0, 1), bytes.subarray(1, 6), bytes.subarray(6)].map(base64).join("");
    expect(text).toMatch(/=[^=]+=[^=]/);
    for (const length of [1, 3, 7]) {
      const pieces = text.match(new RegExp(`.{1,${length}}`, "g")) ?? [];
      expect(await outcomeOf("GetBook", createAsyncIterable(pieces.map(latin1)))).toEqual(SUCCESS);
    }
  });

  test("serves JSON messages", async () => {
    const json = framed(
      Buffer.from(toJsonString(GetBookRequestSchema, create(GetBookRequestSchema, { name: BOOK }))),
    );
    const { type, text } = await outcomeOf("GetBook", base64(json), { "content-type": `${TEXT}+json` });
    expect([type, Buffer.from(text, "base64").toString()]).toEqual([
      `${TEXT}+json`,
      expect.stringContaining(`"name":"${BOOK}"`),
    ]);
  });

  test.each([
    [TEXT, TEXT, TEXT_PROTO],
    [TEXT, "application/grpc-web+proto", "application/grpc-web+proto"],
    [TEXT, "*/*", TEXT_PROTO],
    ["application/grpc-web+proto", TEXT_PROTO, TEXT_PROTO],
    ["application/grpc-web", "*/*", "application/grpc-web+proto"],
  ])("responds to %s with Accept: %s as %s", async (contentType, accept, expected) => {
    const body = contentType.startsWith(TEXT) ? base64(request(BOOK)) : request(BOOK).toString("latin1");
    const { type, text } = await outcomeOf("GetBook", body, { "content-type": contentType, accept });
    const isText = expected.startsWith(TEXT);
    expect([type, text]).toEqual([
      expected,
      isText ? SUCCESS.text : Buffer.concat([RESPONSE, OK]).toString("latin1"),
    ]);
    const rejected = await outcomeOf("GetBook", "", { "content-type": contentType, accept, "x-reject": "1" });
    expect(rejected.type?.startsWith(TEXT)).toBe(isText);
  });

  test.each([
    ["malformed text", "GetBook", "QQ!=", invalidAt(0)],
    ["malformed text after a message", "GetBook", `${base64(request(BOOK))}=`, INCOMPLETE],
    ["malformed text before a stream", "WatchBook", "Q", INCOMPLETE],
    ["malformed text in a stream", "CollectBooks", `${base64(request(BOOK))}-`, INCOMPLETE],
    ["binary", "GetBook", request(BOOK).toString("latin1"), invalidAt(0)],
  ])("rejects %s", async (_what, method, body, problem) => {
    expect(await outcomeOf(method, body)).toEqual({
      ...SUCCESS,
      text: base64(trailers(`grpc-message: ${problem}\r\ngrpc-status: ${Code.InvalidArgument}\r\n`)),
    });
    expect(records).toMatchObject([{ protocol: "grpc-web", code: Code.InvalidArgument, status: 200 }]);
  });

  test("rejects malformed text in a stream before the request ends", async () => {
    const body = new PassThrough();
    body.write("AAAA!");
    body.write("AAA");
    expect(await outcomeOf("CollectBooks", body)).toMatchObject({
      type: TEXT_PROTO,
      text: expect.stringMatching(/^gA/),
    });
    expect(records).toMatchObject([{ code: Code.InvalidArgument }]);
    body.end();
  });

  test("counts the decoded bytes of a message against the limit", async () => {
    // The field has a prefix of two bytes.
    const longest = request("x".repeat(MAX_BYTES - 2));
    expect(base64(longest).length).toBeGreaterThan(MAX_BYTES + 5);
    expect(await outcomeOf("GetBook", base64(longest))).toMatchObject({ grpcStatus: null, type: TEXT_PROTO });
    expect(records[0]?.code).toBeUndefined();
    const { text } = await outcomeOf("GetBook", base64(request("x".repeat(MAX_BYTES - 1))));
    expect(Buffer.from(text, "base64").toString()).toContain(`grpc-status: ${Code.ResourceExhausted}`);
    // The length alone, split into padded texts.
    const prefix = [...framed(new Uint8Array(), { length: 0xffff_ffff })].map((byte) =>
      base64(new Uint8Array([byte])),
    );
    const early = await outcomeOf("GetBook", prefix.join(""));
    expect(Buffer.from(early.text, "base64").toString()).toContain(`grpc-status: ${Code.ResourceExhausted}`);
  });

  test.each([
    ["an unknown method", "Nothing", {}, Code.Unimplemented],
    ["a request that onRequest rejects", "GetBook", { "x-reject": "1" }, Code.Unauthenticated],
  ])("responds to %s with the status in the headers", async (_what, method, headers, code) => {
    expect(await outcomeOf(method, base64(request(BOOK)), headers)).toEqual({
      status: 200,
      type: TEXT,
      grpcStatus: String(code),
      text: "",
    });
  });

  test.each([`${TEXT}-base64`, `${TEXT}+xml`, `${TEXT}ual`])("rejects the content type %s", async (type) => {
    expect(await outcomeOf("GetBook", base64(request(BOOK)), { "content-type": type })).toMatchObject({
      status: 415,
      text: "",
    });
  });

  test("sends each message of a stream when it is there", async () => {
    const { body } = await post("WatchBook", base64(request(BOOK)));
    const chunks = body[Symbol.asyncIterator]();
    let text = "";
    while (!text.endsWith("=")) {
      text += Buffer.from((await chunks.next()).value ?? expect.unreachable()).toString("latin1");
    }
    const frameOf = (pages: number) =>
      base64(framed(toBinary(BookSchema, create(BookSchema, { name: BOOK, pages }))));
    expect(text).toBe(frameOf(0));
    release();
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      text += Buffer.from(next.value).toString("latin1");
    }
    expect(text).toBe(frameOf(0) + frameOf(1) + base64(trailers("grpc-status: 0\r\n")));
  });
});

test("a bidirectional stream in text form decodes messages as they arrive", async () => {
  const requests = new PassThrough();
  const response = createNodeHttpClient({ httpVersion: "2" })({
    url: `${onePort.url}/test.Service/ExchangeBooks`,
    method: "POST",
    header: new Headers({ "content-type": TEXT }),
    body: requests,
  });
  let chunks: AsyncIterator<Uint8Array> | undefined;
  for (const name of ["a", "b"]) {
    const text = base64(request(name));
    requests.write(text.slice(0, 5));
    requests.write(text.slice(5));
    chunks ??= (await response).body[Symbol.asyncIterator]();
    const { value } = await chunks.next();
    const bytes = Buffer.from(Buffer.from(value ?? []).toString(), "base64");
    expect(fromBinary(BookSchema, bytes.subarray(5)).name).toBe(name);
  }
  requests.end();
});
