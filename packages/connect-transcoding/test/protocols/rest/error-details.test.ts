import {
  create,
  createRegistry,
  type DescMessage,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import * as wkt from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  BadRequestSchema,
  DebugInfoSchema,
  HelpSchema,
  LocalizedMessageSchema,
  PreconditionFailureSchema,
  QuotaFailureSchema,
  RequestInfoSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import {
  BookSchema,
  file_library_v1_library,
  LoanSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test, vi } from "vitest";
import { createRestTransport } from "../../../src/client/index.js";
import { STACKS, send } from "../../support/http-clients.js";
import { useOnePort } from "../../support/servers.js";
import { TRANSPORTS } from "../../support/transports.js";

type Row = readonly [what: string, desc: DescMessage, message: Record<string, unknown>, members: object];

function row<D extends DescMessage>(what: string, desc: D, init: MessageInitShape<D>, members: object): Row {
  return [what, desc, { ...create(desc, init) }, members];
}

const url = (name: string) => `type.googleapis.com/${name}`;
const packed = <D extends DescMessage>(desc: D, init: MessageInitShape<D>) =>
  wkt.anyPack(desc, create(desc, init));
const base64 = (desc: DescMessage, init: Record<string, unknown>) =>
  Buffer.from(toBinary(desc, create(desc, init))).toString("base64");
const number = (value: number) => ({ kind: { case: "numberValue", value } }) as const;
const UNKNOWN = { typeUrl: url("test.Unknown"), value: Uint8Array.of(8, 1) };
const LATE = { seconds: 253_402_300_800n };
const BAD_MASK = { paths: ["fooBar"] };

/** Types with a form of their own: https://protobuf.dev/programming-guides/json/ */
const DETAILS: readonly Row[] = [
  row("Duration", wkt.DurationSchema, { seconds: 5n }, { value: "5s" }),
  row("Duration", wkt.DurationSchema, { seconds: -1n, nanos: -500_000_000 }, { value: "-1.500s" }),
  row("Timestamp", wkt.TimestampSchema, { seconds: 1n }, { value: "1970-01-01T00:00:01Z" }),
  row("FieldMask", wkt.FieldMaskSchema, { paths: ["a_b", "c.d_e"] }, { value: "aB,c.dE" }),
  row("Value", wkt.ValueSchema, number(1.5), { value: 1.5 }),
  row("Value", wkt.ValueSchema, { kind: { case: "nullValue", value: 0 } }, { value: null }),
  row("Value", wkt.ValueSchema, { kind: { case: "stringValue", value: "a" } }, { value: "a" }),
  row("ListValue", wkt.ListValueSchema, { values: [number(1), number(2)] }, { value: [1, 2] }),
  row("Struct", wkt.StructSchema, { fields: { a: number(1) } }, { value: { a: 1 } }),
  row("Empty", wkt.EmptySchema, {}, {}),
  row("BoolValue", wkt.BoolValueSchema, { value: true }, { value: true }),
  row("StringValue", wkt.StringValueSchema, { value: "a" }, { value: "a" }),
  row("BytesValue", wkt.BytesValueSchema, { value: Uint8Array.of(1, 2) }, { value: "AQI=" }),
  row("Int32Value", wkt.Int32ValueSchema, { value: -1 }, { value: -1 }),
  row("UInt32Value", wkt.UInt32ValueSchema, { value: 4_294_967_295 }, { value: 4_294_967_295 }),
  row("Int64Value", wkt.Int64ValueSchema, { value: -9_007_199_254_740_993n }, { value: "-9007199254740993" }),
  row("UInt64Value", wkt.UInt64ValueSchema, { value: 2n ** 64n - 1n }, { value: "18446744073709551615" }),
  row("FloatValue", wkt.FloatValueSchema, { value: 0.5 }, { value: 0.5 }),
  row("DoubleValue", wkt.DoubleValueSchema, { value: Number.NaN }, { value: "NaN" }),
  row("Any of a well-known type", wkt.AnySchema, packed(wkt.DurationSchema, { seconds: 5n }), {
    value: { "@type": url("google.protobuf.Duration"), value: "5s" },
  }),
  row("Any in an Any", wkt.AnySchema, packed(wkt.AnySchema, packed(BookSchema, { name: "a" })), {
    value: { "@type": url("google.protobuf.Any"), value: { "@type": url("library.v1.Book"), name: "a" } },
  }),
  row("a type of the service", LoanSchema, { title: "a" }, { title: "a" }),
  row("RetryInfo", RetryInfoSchema, { retryDelay: { seconds: 5n } }, { retryDelay: "5s" }),
  row(
    "BadRequest",
    BadRequestSchema,
    { fieldViolations: [{ description: "is wrong" }] },
    { fieldViolations: [{ field: "", description: "is wrong", reason: "" }] },
  ),
  row("DebugInfo", DebugInfoSchema, { detail: "a" }, { detail: "a" }),
  row("Help", HelpSchema, { links: [{ url: "a" }] }, { links: [{ url: "a" }] }),
  row("LocalizedMessage", LocalizedMessageSchema, { locale: "de" }, { locale: "de" }),
  row(
    "PreconditionFailure",
    PreconditionFailureSchema,
    { violations: [{ type: "a" }] },
    { violations: [{ type: "a" }] },
  ),
  row(
    "QuotaFailure",
    QuotaFailureSchema,
    { violations: [{ subject: "a" }] },
    { violations: [{ subject: "a" }] },
  ),
  row("RequestInfo", RequestInfoSchema, { requestId: "a" }, { requestId: "a" }),
  row("ResourceInfo", ResourceInfoSchema, { owner: "a" }, { owner: "a" }),
  // What JSON cannot express is in base64.
  ...(
    [
      ["an Any of an unknown type", wkt.AnySchema, UNKNOWN],
      ["a Timestamp after the year 9999", wkt.TimestampSchema, LATE],
      ["a Duration of more than 10,000 years", wkt.DurationSchema, { seconds: 315_576_000_001n }],
      ["a FieldMask that has no JSON name", wkt.FieldMaskSchema, BAD_MASK],
      ["a Value that is no number", wkt.ValueSchema, number(Number.NaN)],
      ["a Struct with one", wkt.StructSchema, { fields: { a: number(Number.POSITIVE_INFINITY) } }],
      ["RetryInfo with such a Duration", RetryInfoSchema, { retryDelay: { seconds: 10n ** 12n } }],
    ] as const
  ).map(([what, desc, init]) =>
    row(what, desc, init as Record<string, unknown>, { value: base64(desc, init) }),
  ),
];

const DETAIL_ROWS = DETAILS.map((each, index) => [...each, index] as const);

/** An error with one of the details, as a handler has it, or as it comes from another server. */
function errorWith(index: number, isRelayed: boolean): ConnectError {
  const error = new ConnectError("m", Code.Aborted);
  const [, desc, value] = DETAILS[index] ?? [];
  if (desc !== undefined) {
    const bytes = toBinary(desc, create(desc, value));
    error.details = [isRelayed ? { type: desc.typeName, value: bytes } : ({ desc, value } as never)];
  }
  return error;
}

/** Errors with parts that are hard to write, by name. */
const ODD: Readonly<Record<string, () => ConnectError>> = {
  surrogate: () => new ConnectError("half a \ud800 pair", Code.Aborted),
  control: () => new ConnectError("line\r\nbreak \u0000 “”", Code.Aborted),
  details: () => {
    const error = new ConnectError("m", Code.Aborted);
    error.details = [
      // Has no bytes, and is left out.
      { desc: wkt.Int32ValueSchema, value: { value: 2 ** 40 } },
      { type: "test.Unknown", value: Uint8Array.of(8, 1) },
      { desc: wkt.AnySchema, value: UNKNOWN },
    ] as never;
    return error;
  },
  violation: () => {
    const error = new ConnectError("m", Code.Aborted);
    error.details = [{ desc: BadRequestSchema, value: { fieldViolations: [{ description: "d" }] } } as never];
    return error;
  },
  // nghttp2 refuses headers of more than 64 KiB, Node's client of HTTP/1.1 of more than 16 KiB.
  long: () => {
    const error = new ConnectError("“".repeat(100_000), Code.Aborted, { "x-long": "y".repeat(100_000) });
    error.details = [{ type: "test.Unknown", value: new Uint8Array(100_000) }];
    return error;
  },
  header: () => new ConnectError("m", Code.Aborted, { "x-control": "a\u0001", "x-latin": "é", te: "gzip" }),
};

const onError = vi.fn();
const routes = shelfRoutes({
  getBook: ({ name }) => {
    const [, kind = "", index = ""] = /([a-z]+)(\d*)$/.exec(name) ?? [];
    throw ODD[kind]?.() ?? errorWith(Number(index), kind === "relayed");
  },
});
const registry = createRegistry(file_library_v1_library);
const options = { routes, transcoding: { onError, registry } };

describe("details over REST", () => {
  const server = useOnePort(options);
  test.each(DETAIL_ROWS)("%s", async (_what, desc, message, members, index) => {
    const client = createClient(ShelfService, createRestTransport({ baseUrl: server.url, registry }));
    for (const kind of ["own", "relayed"]) {
      const name = `shelves/1/books/${kind}${index}`;
      const response = await fetch(`${server.url}/v1/${name}`);
      const details = [{ "@type": url(desc.typeName), ...members }];
      expect([response.status, await response.json()]).toEqual([
        409,
        { error: { code: 409, status: "ABORTED", message: "m", details } },
      ]);
      const error = ConnectError.from(await client.getBook({ name }).catch((thrown: unknown) => thrown));
      expect(error.details).toMatchObject([
        { type: desc.typeName, value: toBinary(desc, create(desc, message)) },
      ]);
    }
  });
});

describe.each(STACKS)("an odd error over REST on %s", (_name, use, begin) => {
  const server = use(options);
  test.each(Object.keys(ODD))("has its status: %s", async (name) => {
    const { status, text } = await send(begin, server.url, `GET /v1/shelves/1/books/${name}`);
    const { code, rawMessage, details } = ODD[name]?.() ?? {};
    expect([status, code, JSON.parse(text)]).toMatchObject([
      409,
      Code.Aborted,
      { error: { message: Buffer.from(rawMessage ?? "").toString() } },
    ]);
    expect(JSON.parse(text).error.details).toHaveLength(name === "details" ? 2 : (details?.length ?? 0));
  });
});

describe.each(TRANSPORTS)("an odd error with %s", (transportName, transportTo) => {
  const server = useOnePort(options);
  test.each(Object.keys(ODD))("has its code: %s", async (name) => {
    onError.mockClear();
    const client = createClient(ShelfService, transportTo(server.url));
    const error = ConnectError.from(await client.getBook({ name }).catch((thrown: unknown) => thrown));
    const { rawMessage = "" } = ODD[name]?.() ?? {};
    const wellFormed = (text: string) => text.replace(/\p{Surrogate}/u, "\ufffd");
    const sent = wellFormed(rawMessage).slice(0, name === "long" ? error.rawMessage.length : undefined);
    expect([error.code, wellFormed(error.rawMessage)]).toEqual([Code.Aborted, sent]);
    const details = { details: 2, violation: 1, long: /Connect/.test(transportName) ? 1 : 0 };
    expect(error.details).toHaveLength(Object.entries(details).find(([each]) => each === name)?.[1] ?? 0);
    expect(onError).toHaveBeenCalledTimes(name === "details" ? 1 : 0);
  });
});
