import {
  clone,
  create,
  createRegistry,
  type DescMessage,
  equals,
  isFieldSet,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { HttpBodySchema } from "connect-transcoding/gen/google/api/httpbody_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRouteTable } from "../../src/routes/route-table.js";
import {
  file_library_v1_library,
  type Specimen,
  SpecimenSchema,
  StoreSpecimenRequestSchema,
  UploadRequestSchema,
} from "../gen/library/v1/library_pb.js";
import { anyMessage, anyText } from "../support/arbitrary-message.js";
import { type Choose, seededChoices } from "../support/choices.js";
import { defineService, ruleOf } from "../support/define-service.js";
import { writeFieldJson, writeJson } from "../support/json-encoder.js";
import { dropEmpty, fitsQuery, writeQuery, writeSegment } from "../support/query-encoder.js";
import { findRoute } from "../support/requests.js";

const registry = createRegistry(file_library_v1_library);
const STORE = "StoreSpecimenRequest";
const service = defineService([
  { name: "Find", input: "Specimen", rule: ruleOf("GET /v1/specimens") },
  { name: "Add", input: "Specimen", rule: { ...ruleOf("POST /v1/specimens"), body: "*" } },
  { name: "Look", input: STORE, rule: ruleOf("GET /v1/{name=halls/*/shelves/**}") },
  { name: "Store", input: STORE, rule: { ...ruleOf("PUT /v1/stores/{name}"), body: "specimen" } },
  { name: "Lend", input: STORE, rule: { ...ruleOf("PUT /v1/{name}/lenders"), body: "lenders" } },
  {
    name: "Amend",
    input: STORE,
    rule: { ...ruleOf("PATCH /v1/{specimen.string_value}/of/{name=*/*}:amend"), body: "*" },
  },
  { name: "Upload", input: "UploadRequest", rule: { ...ruleOf("PUT /v1/files/{name}"), body: "file" } },
  { name: "Dump", input: "google.api.HttpBody", rule: { ...ruleOf("POST /v1/dump"), body: "*" } },
]);
const routes = createRouteTable(service.methods, { unknownParameters: "reject", registry });

function bind(
  httpMethod: string,
  target: string,
  contentType?: string,
  body: string | Uint8Array = "",
): Message {
  return findRoute(routes, `${httpMethod} ${target}`).bind({
    contentType,
    contentEncoding: undefined,
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
  }).message;
}

/** Whether two messages are equal, where NaN equals NaN, unlike in `equals`. */
function expectSame(desc: DescMessage, received: Message, sent: Message): void {
  expect(received).toEqual(sent);
  const text = JSON.stringify(sent, (_, value) =>
    Number.isNaN(value) ? "not a number" : typeof value === "bigint" ? "" : value,
  );
  expect(equals(desc, received, sent) || text.includes('"not a number"')).toBe(true);
}

const everyField = () => true;
const specimen = anyMessage(SpecimenSchema, everyField) as fc.Arbitrary<Specimen>;
const flatSpecimen = anyMessage(SpecimenSchema, fitsQuery).map(
  (message) => dropEmpty(SpecimenSchema, message) as Specimen,
);
const choices = fc.nat().map(seededChoices);
const segment = anyText.filter((text) => text !== "");
const RUNS = { numRuns: 500 };

/** The value of a path variable, from its segments. */
const writePath = (segments: readonly string[], choose: Choose) =>
  segments.map((each) => writeSegment(each, choose)).join("/");

/** A slash in a variable of several segments stays encoded, as `%2F` or `%2f` as sent. */
const withoutSlash = segment.map((text) => text.replaceAll("/", "|"));

test("everything in the query", () => {
  fc.assert(
    fc.property(flatSpecimen, choices, (message, choose) => {
      const query = writeQuery(SpecimenSchema, message, choose);
      expectSame(SpecimenSchema, bind("GET", `/v1/specimens?${query}`), message);
    }),
    RUNS,
  );
});

test("everything in the body", () => {
  fc.assert(
    fc.property(specimen, choices, (message, choose) => {
      const body = writeJson(SpecimenSchema, message, choose);
      expectSame(SpecimenSchema, bind("POST", "/v1/specimens", "application/json", body), message);
    }),
    RUNS,
  );
});

test("one field in the body, one in the path, the others in the query", () => {
  fc.assert(
    fc.property(
      segment,
      fc.option(specimen, { nil: undefined }),
      fc.boolean(),
      choices,
      (name, inner, dryRun, choose) => {
        const message = create(StoreSpecimenRequestSchema, { name, dryRun });
        if (inner !== undefined) {
          message.specimen = inner;
        }
        const query = writeQuery(StoreSpecimenRequestSchema, message, choose, ["name", "specimen"]);
        const target = `/v1/stores/${writeSegment(name, choose)}?${query}`;
        const body = inner && writeFieldJson(StoreSpecimenRequestSchema.field.specimen, message, choose);
        const received = bind("PUT", target, inner && "application/json", body);
        expectSame(StoreSpecimenRequestSchema, received, message);
      },
    ),
    RUNS,
  );
});

test("a list in the body, a message in the query", () => {
  const lenders = anyMessage(
    StoreSpecimenRequestSchema,
    ({ parent, name }) => parent.name === "Publisher" || name === "lenders",
  );
  fc.assert(
    fc.property(segment, lenders, flatSpecimen, choices, (name, lent, inner, choose) => {
      const message = clone(
        StoreSpecimenRequestSchema,
        create(StoreSpecimenRequestSchema, { ...(lent as object), name }),
      );
      if (SpecimenSchema.fields.some((field) => isFieldSet(inner, field))) {
        message.specimen = inner;
      }
      const query = writeQuery(StoreSpecimenRequestSchema, message, choose, ["name", "lenders"]);
      const target = `/v1/${writeSegment(name, choose)}/lenders?${query}`;
      const body = writeFieldJson(StoreSpecimenRequestSchema.field.lenders, message, choose);
      expectSame(StoreSpecimenRequestSchema, bind("PUT", target, "application/json", body), message);
    }),
    RUNS,
  );
});

test("a variable of many segments, the others in the query", () => {
  fc.assert(
    fc.property(
      withoutSlash,
      fc.array(withoutSlash, { maxLength: 3 }),
      flatSpecimen,
      choices,
      (hall, shelves, inner, choose) => {
        const segments = ["halls", hall, "shelves", ...shelves];
        const message = create(StoreSpecimenRequestSchema, { name: segments.join("/") });
        if (SpecimenSchema.fields.some((field) => isFieldSet(inner, field))) {
          message.specimen = inner;
        }
        const query = writeQuery(StoreSpecimenRequestSchema, message, choose, ["name"]);
        const received = bind("GET", `/v1/${writePath(segments, choose)}?${query}`);
        expectSame(StoreSpecimenRequestSchema, received, message);
      },
    ),
    RUNS,
  );
});

test("a field of the body in the path, and a custom verb", () => {
  fc.assert(
    fc.property(
      segment,
      withoutSlash,
      withoutSlash,
      specimen,
      choices,
      (text, first, second, inner, choose) => {
        const message = create(StoreSpecimenRequestSchema, { name: `${first}/${second}`, specimen: inner });
        inner.stringValue = text;
        const target = `/v1/${writeSegment(text, choose)}/of/${writePath([first, second], choose)}:amend`;
        const body = writeJson(StoreSpecimenRequestSchema, message, choose, ["name"]);
        expectSame(StoreSpecimenRequestSchema, bind("PATCH", target, "application/json", body), message);
      },
    ),
    RUNS,
  );
});

test("any bytes of any content type", () => {
  const contentType = fc.stringMatching(/^[a-z]{1,8}\/[a-z+]{1,8}(; [a-z]{1,4}="[a-z ]{0,4}")?$/);
  fc.assert(
    fc.property(
      contentType,
      fc.uint8Array(),
      segment,
      anyText,
      choices,
      (type, data, name, comment, choose) => {
        expectSame(
          HttpBodySchema,
          bind("POST", "/v1/dump", type, data),
          create(HttpBodySchema, { contentType: type, data }),
        );
        const message = create(UploadRequestSchema, { name, comment, file: { contentType: type, data } });
        const query = writeQuery(UploadRequestSchema, message, choose, ["name", "file"]);
        const received = bind("PUT", `/v1/files/${writeSegment(name, choose)}?${query}`, type, data);
        expectSame(UploadRequestSchema, received, message);
      },
    ),
    RUNS,
  );
});

test.each<[query: string, message: MessageInitShape<typeof SpecimenSchema>]>([
  ["duration=-1.0s", { duration: { seconds: -1n, nanos: 0 } }],
  ["duration=-315576000000.000s", { duration: { seconds: -315_576_000_000n, nanos: 0 } }],
])("%s has no nanoseconds, not even -0", (query, init) => {
  const received = bind("GET", `/v1/specimens?${query}`);
  expectSame(SpecimenSchema, received, create(SpecimenSchema, init));
});
