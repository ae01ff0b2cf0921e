import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Link, Response } from "connect-transcoding/openapi";
import { afterAll, expect, test } from "vitest";
import { call, EXAMPLES, exampleNamed, formsOf, JSON_TYPE, PLACES } from "../support/documented-examples.js";
import { useServer } from "../support/serve.js";

// A trusted proxy, so that the client has a public address.
const server = useServer({ trustedProxies: ["127.0.0.1"] });

const LINKS = PLACES.flatMap(({ operation }) =>
  Object.entries((operation.responses[200] as Response).links ?? {}).map(([name, link]) => {
    const [source = "", target = ""] = name.split("_");
    return { name, source, target, link };
  }),
);

/** The form of a request: a body, if there can be one. */
const formOf = (place: (typeof PLACES)[number]) => (formsOf(place).includes(JSON_TYPE) ? JSON_TYPE : "query");

/** Replaces runtime expressions by the values in a response (RFC 6901). */
function evaluate(value: JsonValue, response: JsonValue): JsonValue {
  const [, pointer] = /^\$response\.body#(.*)$/.exec(typeof value === "string" ? value : "") ?? [];
  if (pointer === undefined) {
    return value;
  }
  const found = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<JsonValue | undefined>((each, step) => (each as JsonObject | undefined)?.[step], response);
  expect(found, `the response has no ${pointer}`).toBeDefined();
  return found ?? null;
}

function linkedParameters({ parameters, requestBody }: Link, response: JsonValue): JsonObject {
  const all = { ...parameters, ...(requestBody as JsonObject | undefined) };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, evaluate(value, response)]));
}

test.each(LINKS)("$name leads to a successful call", async ({ source, target, link }) => {
  const from = exampleNamed(source);
  const first = await call(server.url, from, from.parameters, formOf(from));
  expect(first.status).toBe(200);

  const to = PLACES.find(({ operation }) => operation.operationId === link.operationId);
  const example = EXAMPLES.find(({ name }) => name === target);
  if (to === undefined || example === undefined) {
    throw new Error(`there is no operation ${link.operationId} with ${target}`);
  }
  expect(to.operation).toBe(example.operation);
  const parameters = linkedParameters(link, first.json as JsonValue);
  const second = await call(server.url, to, parameters, formOf(to));
  expect(second.status).toBe(200);
  if (target === "VerifyOtp") {
    expect(second.json).toMatchObject({ secret: (first.json as JsonObject).secret, digits: 6 });
  }
});

afterAll(() => {
  expect(server.bugs).toEqual([]);
});
