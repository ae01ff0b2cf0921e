import { create } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FieldOptionsSchema, MessageOptionsSchema, OneofOptionsSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { documentOf, expectValid } from "../describe.js";
import { documentedService, text } from "../documented-service.js";

/** The messages of a field of rules: each has texts by number. */
type Rules = readonly (readonly [number: number, content: string | Uint8Array])[];

function encode(rules: Rules): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, content] of rules) {
    const tagged = writer.tag(number, WireType.LengthDelimited);
    typeof content === "string" ? tagged.string(content) : tagged.bytes(content);
  }
  return writer.finish();
}

const IS_REQUIRED = (number: number) => new BinaryWriter().tag(number, WireType.Varint).bool(true).finish();
const unknown = (rules: Uint8Array) => [
  { no: 1159, wireType: WireType.LengthDelimited, data: new BinaryWriter().bytes(rules).finish() },
];

interface Given {
  readonly message?: Uint8Array;
  readonly oneof?: Uint8Array;
  readonly field?: Uint8Array;
}

/** The schemas of a message with the fields `a`, `b` and `c`, of which `a` and `b` are a oneof. */
async function describeThing({ message, oneof, field }: Given) {
  const service = documentedService(
    { Thing: { a: { ...text(), oneof: "choice" }, b: { ...text(), oneof: "choice" }, c: text() } },
    { Make: { input: "Thing", output: "Thing", rule: "POST /v1/things" } },
  );
  const thing = service.method.make?.input;
  const [choice] = thing?.oneofs ?? [];
  const c = thing?.fields[2];
  if (thing === undefined || choice === undefined || c === undefined) {
    throw new Error("the message is in the file");
  }
  thing.proto.options = create(MessageOptionsSchema);
  thing.proto.options.$unknown = unknown(message ?? new Uint8Array());
  choice.proto.options = create(OneofOptionsSchema);
  choice.proto.options.$unknown = unknown(oneof ?? new Uint8Array());
  c.proto.options = create(FieldOptionsSchema);
  c.proto.options.$unknown = unknown(field ?? new Uint8Array());
  const document = documentOf(service, {}, {});
  await expectValid(document);
  const { ThingInput, Thing } = document.components.schemas;
  return { request: ThingInput, response: Thing };
}

const RULE: Rules = [
  [1, "thing.c"],
  [2, "c must be longer than a"],
  [3, "this.c.size() > this.a.size()"],
];

test("CEL rules are in descriptions, by their message or their expression", async () => {
  const onMessage = encode([
    [3, encode(RULE)],
    [3, encode([[3, "this.a != ''"]])],
    [5, "this.b != ''"],
  ]);
  const onField = encode([
    [23, encode([[2, "is odd!"]])],
    [29, "this != 'x'"],
  ]);
  const { request, response } = await describeThing({ message: onMessage, field: onField });
  expect(request?.description).toBe(
    "C must be longer than a.\n\nMust hold: `this.a != ''`.\n\nMust hold: `this.b != ''`.",
  );
  expect(request?.properties?.c?.description).toBe("Is odd!\n\nMust hold: `this != 'x'`.");
  expect([response?.description, response?.properties?.c?.description]).toEqual([undefined, undefined]);
});

test("a required oneof is one of its fields at least", async () => {
  const { request, response } = await describeThing({ oneof: IS_REQUIRED(1) });
  expect(request?.anyOf).toEqual([{ required: ["a"] }, { required: ["b"] }]);
  expect(response?.anyOf).toBeUndefined();
});

test("fields of which a message has one at most", async () => {
  const exclusive = encode([
    [1, "a"],
    [1, "c"],
  ]);
  const required = Uint8Array.from([...exclusive, ...IS_REQUIRED(2)]);
  const optional = await describeThing({ message: encode([[4, exclusive]]) });
  expect([optional.request?.description, optional.request?.anyOf]).toEqual([
    "At most one of `a`, `c` is set.",
    undefined,
  ]);
  const { request } = await describeThing({ message: encode([[4, required]]), oneof: IS_REQUIRED(1) });
  expect(request?.allOf).toEqual([
    { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    { anyOf: [{ required: ["a"] }, { required: ["c"] }] },
  ]);
});

test("rules that are ignored are not described", async () => {
  const ignored = Uint8Array.from([
    ...encode([[29, "this != 'x'"]]),
    ...new BinaryWriter().tag(27, WireType.Varint).int32(3).finish(),
  ]);
  const { request } = await describeThing({ field: ignored });
  expect(request?.properties?.c?.description).toBeUndefined();
});
