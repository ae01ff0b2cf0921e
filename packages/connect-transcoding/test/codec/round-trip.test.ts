import {
  create,
  createRegistry,
  type DescMessage,
  equals,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import {
  file_library_v1_library,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRouteTable } from "../../src/routes/route-table.js";
import { seededChoices } from "../support/messages/choices.js";
import { findRoute } from "../support/requests.js";
import { anyRequest } from "./any-request.js";

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

test.each(
  [...routes.bindings].map((binding) => [binding.httpMethod, binding.template.source, binding] as const),
)("requests of %s %s", (httpMethod, _template, binding) => {
  const requests = fc.nat().chain((seed) => anyRequest(binding, seededChoices(seed)));
  fc.assert(
    fc.property(requests, ({ path, query, contentType, body, message }) => {
      const received = bind(httpMethod, `${path}?${query}`, contentType, body);
      expectSame(binding.method.input, received, message);
    }),
    { numRuns: 200 },
  );
});

test.each<[query: string, message: MessageInitShape<typeof SpecimenSchema>]>([
  ["duration=-1.0s", { duration: { seconds: -1n, nanos: 0 } }],
  ["duration=-315576000000.000s", { duration: { seconds: -315_576_000_000n, nanos: 0 } }],
])("%s has no nanoseconds, not even -0", (query, init) => {
  const received = bind("GET", `/v1/specimens?${query}`);
  expectSame(SpecimenSchema, received, create(SpecimenSchema, init));
});
