import {
  create,
  fromBinary,
  fromJson,
  type JsonValue,
  setExtension,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import {
  FieldOptionsSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import {
  GardenService,
  PlantSchema,
  type UpdatePlantRequest,
} from "connect-transcoding-testing/gen/garden/v1/garden_pb.js";
import { BookSchema, SpecimenSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { expectLinear } from "connect-transcoding-testing/linear.js";
import { describe, expect, test } from "vitest";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.js";
import { violationsOf } from "../../src/errors/errors.js";
import { createTranscodingHandler } from "../../src/hosts/fetch.js";
import { applyUpdateMask } from "../../src/services/apply-update-mask.js";
import { defineMessages, field } from "../support/messages/define-messages.js";
import { useOnePort } from "../support/servers.js";

const TARGET = {
  name: "books/1",
  title: "A",
  authorNames: ["x", "y"],
  year: 1999,
  publisher: { name: "P", cityName: "Lyon", parent: { name: "Q" } },
  room: "3",
  labels: { color: "red", "dark.color": "black" },
  acquired: "2026-01-01T00:00:00Z",
};

/** What a mask makes of the target with the source. The arguments stay. */
function update(source: JsonValue, paths: readonly string[] | undefined): JsonValue {
  const [target, given] = [fromJson(BookSchema, TARGET), fromJson(BookSchema, source)];
  const before = [structuredClone(target), structuredClone(given)];
  const mask = paths && { paths: [...paths] };
  const result = toJson(BookSchema, applyUpdateMask(BookSchema, target, given, mask));
  expect([target, given]).toEqual(before);
  return result;
}

// The number in front is that of the AIP: 134, 161. `merge` stands for the tests of FieldMaskUtil in protobuf for Java.
describe("a mask", () => {
  test.each<[what: string, paths: string[], source: object, change?: object]>([
    ["134: names fields", ["title"], { title: "B", year: 5 }, { title: "B" }],
    ["134: clears a field that is empty", ["title", "year"], {}, { title: undefined, year: undefined }],
    ["134: clears a field with presence at its default", ["year"], { year: 0 }],
    [
      "161: traverses messages",
      ["publisher.city_name"],
      { publisher: { cityName: "Nice" } },
      { publisher: { ...TARGET.publisher, cityName: "Nice" } },
    ],
    [
      "161: two levels",
      ["publisher.parent.name"],
      { publisher: { parent: { name: "R" } } },
      { publisher: { ...TARGET.publisher, parent: { name: "R" } } },
    ],
    ["161: names a message as a whole", ["publisher"], { publisher: { name: "R" } }],
    ["161: names a message and a field of it", ["publisher", "publisher.name"], { publisher: { name: "R" } }],
    ["161: names all fields of a message", ["publisher.*"], { publisher: { name: "R" } }],
    ["merge: clears a message", ["publisher"], {}, { publisher: undefined }],
    [
      "merge: clears a field of a message that the source does not have",
      ["publisher.name"],
      {},
      { publisher: { cityName: "Lyon", parent: { name: "Q" } } },
    ],
    ["merge: creates no message that neither has", ["publisher.parent.parent.name"], {}],
    [
      "merge: creates a message that the source has",
      ["publisher.parent.parent.name"],
      { publisher: { parent: { parent: { name: "S" } } } },
      { publisher: { ...TARGET.publisher, parent: { name: "Q", parent: { name: "S" } } } },
    ],
    ["replaces a list as a whole", ["author_names"], { authorNames: ["z"] }],
    ["161: the same by its wildcard", ["author_names.*"], { authorNames: ["z"] }],
    ["replaces a map as a whole", ["labels"], { labels: { a: "b" } }],
    [
      "161: names an entry",
      ["labels.color"],
      { labels: { color: "blue", a: "b" } },
      { labels: { color: "blue", "dark.color": "black" } },
    ],
    [
      "161: names an entry in backticks",
      ["labels.`dark.color`"],
      { labels: { "dark.color": "grey" } },
      { labels: { color: "red", "dark.color": "grey" } },
    ],
    ["161: deletes an entry", ["labels.color"], {}, { labels: { "dark.color": "black" } }],
    ["replaces a timestamp", ["acquired"], { acquired: "2026-02-02T00:00:00Z" }],
    ["sets another field of a oneof", ["floor"], { floor: 2 }, { room: undefined, floor: 2 }],
    ["clears a oneof", ["room"], { floor: 2 }, { room: undefined }],
    ["leaves a oneof whose other field is set", ["floor"], {}],
    ["takes JSON names", ["authorNames"], { authorNames: ["z"] }],
    ["names a field twice", ["title", "title"], { title: "B" }],
  ])("%s: %j", (_what, paths, source, change = source) => {
    const expected = Object.entries({ ...TARGET, ...change }).filter(([, value]) => value !== undefined);
    expect(update(source as JsonValue, paths)).toEqual(Object.fromEntries(expected));
  });

  test("of * replaces all (134)", () => {
    expect(update({ title: "B", floor: 2 }, ["*"])).toEqual({ title: "B", floor: 2 });
    expect(update({ title: "B" }, ["title", "*"])).toEqual({ title: "B" });
  });

  // AIP-134: an omitted mask is one of all fields that are populated.
  test.each<[string, readonly string[] | undefined]>([
    ["without a message", undefined],
    ["without paths", []],
  ])("%s is all fields that are set", (_what, paths) => {
    const source = {
      title: "B",
      year: 0,
      publisher: { name: "R", parent: {} },
      authorNames: ["z"],
      floor: 2,
    };
    const { room: _, ...others } = TARGET;
    const publisher = { name: "R", cityName: "Lyon", parent: {} };
    expect(update(source, paths)).toEqual({ ...others, ...source, publisher });
    expect(update({}, paths)).toEqual(TARGET);
  });
});

describe("maps of other types", () => {
  const target = fromJson(SpecimenSchema, {
    publisherByText: { a: { name: "P", cityName: "Lyon" } },
    genreByInt32: { 1: "GENRE_NOVEL" },
    bytesByBool: { true: "AA==" },
  });
  test.each<[string, JsonValue, JsonValue]>([
    [
      "publisher_by_text.a.name",
      { publisherByText: { a: { name: "Q" } } },
      { publisherByText: { a: { name: "Q", cityName: "Lyon" } } },
    ],
    [
      "publisher_by_text.b.name",
      { publisherByText: { b: { name: "Q" } } },
      { publisherByText: { a: { name: "P", cityName: "Lyon" }, b: { name: "Q" } } },
    ],
    ["publisher_by_text.b.name", {}, { publisherByText: { a: { name: "P", cityName: "Lyon" } } }],
    ["genre_by_int32.1", { genreByInt32: { 1: "GENRE_ESSAY" } }, { genreByInt32: { 1: "GENRE_ESSAY" } }],
    [
      "genre_by_int32.-2",
      { genreByInt32: { "-2": "GENRE_ESSAY" } },
      { genreByInt32: { 1: "GENRE_NOVEL", "-2": "GENRE_ESSAY" } },
    ],
  ])("%s of %j", (path, source, change) => {
    const result = applyUpdateMask(SpecimenSchema, target, fromJson(SpecimenSchema, source), {
      paths: [path],
    });
    expect(toJson(SpecimenSchema, result)).toEqual({
      ...(toJson(SpecimenSchema, target) as object),
      ...(change as object),
    });
  });

  // AIP-161: no element of a list by its index, keys are strings or integers.
  test.each([
    "nope",
    "",
    "*.title",
    "nested.nope",
    "nested..string_value",
    ".nested",
    "nested.",
    "string_value.x",
    "strings.0",
    "publishers.0.name",
    "publishers.*.name",
    "text_by_text.a.b",
    "text_by_text.*.b",
    "genre_by_int32.x",
    "bytes_by_bool.true",
    "timestamp.seconds",
    "struct.a",
    "`string_value",
    "text_by_text.`a",
    "String_Value",
    "__proto__",
    "choice",
  ])("the path %j is invalid", (path) => {
    expectInvalid(path, path);
  });

  // Messages nest to a depth of 100.
  test.each([
    [101, "nested"],
    [20_000, "nested"],
    [20_000, "`nested`"],
    [1_000_000, "nested"],
  ])("a path of %d steps %s is invalid", (count, step) => {
    const path = Array(count).fill(step).join(".");
    expectInvalid(path, `${path.slice(0, 64)}…`);
  });

  test("a path of 100 steps is valid, however many paths name the same", () => {
    const paths = Array(1000).fill(Array(100).fill("nested").join(".")) as string[];
    expect(applyUpdateMask(SpecimenSchema, target, target, { paths })).toEqual(target);
  });

  test.each<[string, string, changed: readonly string[]]>([
    ["nested.string_value", "nested", ["nested"]],
    ["nested", "nested.string_value", ["nested"]],
    ["publisher_by_text.a.name", "publisher_by_text.a", ["publisherByText"]],
    ["publisher_by_text.a", "publisher_by_text.`a`.*", ["publisherByText"]],
    ["nested.*", "*", ["nested", "publisherByText"]],
  ])("of %s and %s, the one above counts", (one, other, changed) => {
    const before = {
      nested: { stringValue: "a", boolValue: true },
      publisherByText: { a: { name: "P", cityName: "Lyon" } },
    };
    const source = { nested: { stringValue: "b" }, publisherByText: { a: { name: "Q" } } };
    const [stored, given] = [fromJson(SpecimenSchema, before), fromJson(SpecimenSchema, source)];
    const result = applyUpdateMask(SpecimenSchema, stored, given, { paths: [one, other] });
    const expected = Object.entries(source).filter(([name]) => changed.includes(name));
    expect(toJson(SpecimenSchema, result)).toEqual({ ...before, ...Object.fromEntries(expected) });
  });

  function expectInvalid(path: string, name: string): void {
    let thrown: unknown;
    try {
      applyUpdateMask(SpecimenSchema, target, target, { paths: ["string_value", path] });
    } catch (error) {
      thrown = error;
    }
    const description = `names '${name}', which is not a field of library.v1.Specimen that can be updated alone`;
    expect(thrown).toMatchObject({ code: Code.InvalidArgument });
    expect(violationsOf(thrown as never)).toEqual([
      { field: "update_mask", reason: "INVALID_VALUE", description },
    ]);
  }
});

// AIP-203: OUTPUT_ONLY and IDENTIFIER. The message Roots is OUTPUT_ONLY.
describe("fields that clients cannot change stay", () => {
  const target = fromJson(PlantSchema, {
    name: "gardens/1/plants/2",
    species: "fern",
    createTime: "2026-01-01T00:00:00Z",
    roots: { depth: 1 },
  });
  const source = create(PlantSchema, { name: "other", color: "red", roots: { depth: 5 } });
  test.each([[["*"]], [["name", "color", "create_time", "roots", "roots.depth"]], [[]]])("%j", (paths) => {
    expect(toJson(PlantSchema, applyUpdateMask(PlantSchema, target, source, { paths }))).toEqual({
      ...(toJson(PlantSchema, target) as object),
      color: "red",
    });
  });
});

/** A field with a behavior. */
function behaving(
  name: string,
  number: number,
  behavior: FieldBehavior,
  more: { type?: Type; typeName?: string; oneofIndex?: number } = {},
) {
  const options = create(FieldOptionsSchema);
  setExtension(options, field_behavior, [behavior]);
  return field(name, number, more.type ?? Type.STRING, { ...more, options });
}

const nodeType = { typeName: ".test.Node" };
const NodeSchema = defineMessages([
  {
    name: "test/node.proto",
    package: "test",
    syntax: "proto3",
    messageType: [
      {
        name: "Node",
        field: [
          field("text", 1, Type.STRING),
          behaving("by", 2, FieldBehavior.OUTPUT_ONLY),
          behaving("id", 3, FieldBehavior.IDENTIFIER),
          behaving("born", 7, FieldBehavior.IMMUTABLE),
          behaving("fixed", 8, FieldBehavior.IMMUTABLE, { ...nodeType, type: Type.MESSAGE }),
          field("word", 9, Type.STRING, { oneofIndex: 0 }),
          field("part", 10, Type.MESSAGE, { ...nodeType, oneofIndex: 0 }),
          behaving("result", 11, FieldBehavior.OUTPUT_ONLY, { oneofIndex: 0 }),
          behaving("birth", 12, FieldBehavior.IMMUTABLE, { oneofIndex: 0 }),
          field("node", 4, Type.MESSAGE, nodeType),
          field("list", 5, Type.MESSAGE, { ...nodeType, label: Label.REPEATED }),
          field("map", 6, Type.MESSAGE, { typeName: ".test.Node.MapEntry", label: Label.REPEATED }),
        ],
        oneofDecl: [{ name: "state" }],
        nestedType: [
          {
            name: "MapEntry",
            options: { mapEntry: true },
            field: [field("key", 1, Type.STRING), field("value", 2, Type.MESSAGE, nodeType)],
          },
        ],
      },
    ],
  },
]).find("test.Node");

const own = { by: "server", id: "1" };
const forged = { by: "client", id: "9" };

/** Masks, `-` for an empty one, and what each makes of the target with the source; a list has the paths of immutable fields. */
type Row = [
  what: string,
  masks: string,
  target: JsonValue,
  source: JsonValue,
  expected: JsonValue | string[],
];

describe("fields below the top that clients cannot change", () => {
  test.each<Row>([
    [
      "in a message",
      "node node.* * -",
      { node: { ...own, text: "a" } },
      { node: { ...forged, text: "b" } },
      { node: { ...own, text: "b" } },
    ],
    [
      "in a message at a depth of two",
      "node node.node * -",
      { node: { node: { ...own, text: "a" } } },
      { node: { node: { ...forged, text: "b" } } },
      { node: { node: { ...own, text: "b" } } },
    ],
    [
      "in a new message",
      "node node.* * -",
      {},
      { node: { ...forged, text: "b", node: forged, map: { a: forged } } },
      { node: { text: "b", node: {}, map: { a: {} } } },
    ],
    [
      "in a message that the source does not have",
      "node node.* *",
      { node: { text: "a", node: { ...own, text: "a" } } },
      {},
      { node: { node: own } },
    ],
    ["in an empty message", "node * -", { node: { ...own, text: "a" } }, { node: {} }, { node: own }],
    [
      "in entries of a map",
      "map map.* * -",
      { map: { a: { ...own, text: "a", node: own }, gone: own } },
      { map: { a: { ...forged, text: "b", node: forged }, new: { ...forged, text: "c" } } },
      { map: { a: { ...own, text: "b", node: own }, new: { text: "c" } } },
    ],
    [
      "in one entry of a map",
      "map.a map.a.* map.a.text",
      { map: { a: { ...own, text: "a" }, b: own } },
      { map: { a: { ...forged, text: "b" } } },
      { map: { a: { ...own, text: "b" }, b: own } },
    ],
    ["in a new entry", "map.a map.a.*", {}, { map: { a: forged } }, { map: { a: {} } }],
    [
      "in a oneof, against its other fields",
      "word word,part.text part part.text * -",
      { result: "done" },
      { part: { text: "a" } },
      { result: "done" },
    ],
    [
      "in a oneof, against itself",
      "result * -",
      { result: "done" },
      { result: "forged" },
      { result: "done" },
    ],
    [
      "in a oneof of an entry",
      "map map.a map.a.word * -",
      { map: { a: { result: "done" } } },
      { map: { a: { word: "a" } } },
      { map: { a: { result: "done" } } },
    ],
    [
      "but not in a message of a oneof that has another field then",
      "word part,word * -",
      { part: { ...own, text: "a" } },
      { word: "a" },
      { word: "a" },
    ],
    ["but not in a deleted entry", "map.a map", { map: { a: own } }, {}, {}],
    ["but not in elements of a list", "list * -", { list: [own] }, { list: [forged] }, { list: [forged] }],
    // AIP-203: IMMUTABLE.
    ["immutable: can be set once", "born * -", {}, { born: "1" }, { born: "1" }],
    ["immutable: can have the same value", "born * -", { born: "1" }, { born: "1" }, { born: "1" }],
    ["immutable: have another value", "born * -", { born: "1" }, { born: "2" }, ["born"]],
    ["immutable: are cleared", "born", { born: "1" }, {}, ["born"]],
    [
      "immutable: are left out of a whole",
      "* -",
      { born: "1", text: "a" },
      { text: "b" },
      { born: "1", text: "b" },
    ],
    [
      "immutable: in a message that the source does not have",
      "node *",
      { node: { born: "1", text: "a" } },
      {},
      { node: { born: "1" } },
    ],
    [
      "immutable: in messages",
      "node node.born,node.node.born node.* * -",
      { node: { born: "1", node: { born: "1" } } },
      { node: { born: "2", node: { born: "3" } } },
      ["node.born", "node.node.born"],
    ],
    [
      "immutable: in entries of a map",
      "map map.a map.a.born * -",
      { map: { a: { born: "1" } } },
      { map: { a: { born: "2" } } },
      ["map.a.born"],
    ],
    [
      "immutable: in new entries",
      "map map.a * -",
      {},
      { map: { a: { born: "2" } } },
      { map: { a: { born: "2" } } },
    ],
    [
      "immutable: that are messages, have another part",
      "fixed fixed.text * -",
      { fixed: { text: "a" } },
      { fixed: { text: "b" } },
      ["fixed"],
    ],
    ["immutable: of a oneof, against its other fields", "word * -", { birth: "1" }, { word: "a" }, ["birth"]],
  ])("%s", (_row, masks, before, given, expected) => {
    const [target, source] = [fromJson(NodeSchema, before), fromJson(NodeSchema, given)];
    for (const mask of masks.split(" ")) {
      let result: unknown;
      try {
        const paths = mask === "-" ? [] : mask.split(",");
        result = toJson(NodeSchema, applyUpdateMask(NodeSchema, target, source, { paths }));
      } catch (error) {
        result = violationsOf(error as never).map(({ field: name, description }) => {
          const [, path] = /^changes '(.*)', which is immutable$/.exec(description) ?? [];
          return name === "update_mask" ? path : name;
        });
      }
      expect(result, mask).toEqual(expected);
      expect([toJson(NodeSchema, target), toJson(NodeSchema, source)]).toEqual([before, given]);
    }
  });
});

test("new messages have the fields of the source that the schema does not know", () => {
  // { node: { 100: 1 }, map: { "": { 100: 1 } } }
  const bytes = new Uint8Array([0x22, 3, 0xa0, 6, 1, 0x32, 7, 0x0a, 0, 0x12, 3, 0xa0, 6, 1]);
  const source = fromBinary(NodeSchema, bytes);
  for (const paths of [["node", "map"], ["*"], []]) {
    expect(toBinary(NodeSchema, applyUpdateMask(NodeSchema, create(NodeSchema), source, { paths }))).toEqual(
      bytes,
    );
  }
});

test("paths to the same message take time in proportion to their number", () => {
  expectLinear((size) => {
    const entries = Array.from({ length: size }, (_, index) => [index, { text: "a" }]);
    const levels = Array.from({ length: 12 });
    const json = levels.reduce<JsonValue>((node) => ({ node }), { map: Object.fromEntries(entries) });
    const message = fromJson(NodeSchema, json);
    // Each step is in backticks or not, by the digits of the number of the path.
    const paths = entries.map((_, path) =>
      levels.map((_, level) => ((path >> level) & 1 ? "`node`" : "node")).join("."),
    );
    return () => applyUpdateMask(NodeSchema, message, message, { paths });
  }, 500);
});

describe("a handler of PATCH", () => {
  const stored = fromJson(PlantSchema, {
    name: "gardens/1/plants/2",
    species: "fern",
    color: "green",
    tags: ["a"],
    pot: { size: 1 },
  });
  const options = {
    routes: (router: ConnectRouter) =>
      router.service(GardenService, {
        updatePlant: ({ plant = create(PlantSchema), updateMask }: UpdatePlantRequest) =>
          applyUpdateMask(PlantSchema, stored, plant, updateMask),
      }),
    transcoding: { unsupported: "skip", json: { defaults: "omit" } },
  } as const;
  const server = useOnePort(options);
  const handle = createTranscodingHandler(options);

  test.each<[query: string, body: object, status: number, expected: object]>([
    ["", { color: "red" }, 200, { color: "red" }],
    ["", { color: null, pot: { size: 2 } }, 200, { color: undefined, pot: { size: 2 } }],
    ["", { tags: [] }, 200, { tags: undefined }],
    ["?updateMask=tags", { color: "red" }, 200, { tags: undefined }],
    ["?update_mask=*", { color: "red" }, 200, { color: "red", tags: undefined, pot: undefined }],
    ["?update_mask=species", { species: "moss" }, 400, {}],
    ["?update_mask=nope", { color: "red" }, 400, {}],
    ["?update_mask=tags.0", { color: "red" }, 400, {}],
  ])("%s with %j", async (query, body, status, change) => {
    const path = `/v1/gardens/1/plants/2${query}`;
    const init = {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const responses = [
      await fetch(server.url + path, init),
      await handle(new Request(`http://localhost${path}`, init)),
    ];
    for (const response of responses) {
      const json: unknown = await response.json();
      expect(response.status).toBe(status);
      if (status === 200) {
        const expected = { ...(toJson(PlantSchema, stored) as object), ...change };
        expect(json).toEqual(JSON.parse(JSON.stringify(expected)));
      } else {
        expect(json).toMatchObject({
          error: { message: expect.stringMatching(/^update_mask: (?:names|changes) '/) },
        });
      }
    }
  });
});
