import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import {
  createFileRegistry,
  createRegistry,
  type DescMethod,
  fromBinary,
  getOption,
  hasOption,
  type JsonObject,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Validator } from "@seriousme/openapi-schema-validator";
import { http } from "connect-transcoding/gen/google/api/annotations_pb.js";
import { openApiDocument } from "connect-transcoding/openapi";
import { createRouteTable, type HttpBinding, type RouteTable } from "connect-transcoding/rules";
import { file_library_v1_library } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { anyRequest } from "../../test/codec/any-request.js";
import { anyMessage } from "../../test/support/messages/arbitrary-message.js";
import { seededChoices } from "../../test/support/messages/choices.js";

// Checks the engine with every HTTP rule in files with a `google.protobuf.FileDescriptorSet`: each rule is accepted or listed in
// the file of `--unsupported`, random requests of each route become the message that they encode, responses equal those of protobuf-es,
// the OpenAPI documents are valid. Options: `--count 3` requests per route, `--every 10` for one in ten APIs, `--seed 1`.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "3" },
    every: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    unsupported: { type: "string", default: join(import.meta.dirname, "unsupported.txt") },
  },
});
const [count, every, seed] = [Number(values.count), Number(values.every), Number(values.seed)];

const MAX_FAILURES = 20;
/** Some messages of Google have hundreds of fields. */
const LIMITS = { depth: 2, minSegments: 1 };

const apis = loadApis(positionals);
const failures: string[] = [];
const fail = (problem: string) => failures.push(problem);
const totals = { methods: 0, rules: 0, routes: 0, requests: 0, responses: 0, documents: 0 };
/** The reasons why rules are not accepted. */
const skipped: string[] = [];

for (const { methods, registry } of apis) {
  totals.methods += methods.length;
  totals.rules += methods.reduce((sum, method) => sum + countRules(method), 0);
  createRoutes(methods, registry, (_, { message }) => skipped.push(message));
}
checkSkipped();
for (const api of apis.filter((_, index) => index % every === 0)) {
  await checkApi(api);
}

console.log(`${apis.length} APIs (proto packages), ${totals.methods} methods, ${totals.rules} HTTP rules`);
console.log(
  `${totals.rules - skipped.length} rules accepted, ${skipped.length} not; ${basename(dirname(values.unsupported))}/${basename(values.unsupported)} has the reasons`,
);
console.log(
  `${totals.routes} routes tried: ${totals.requests} requests, ${totals.responses} responses, ${totals.documents} OpenAPI documents`,
);
for (const failure of failures.slice(0, MAX_FAILURES)) {
  console.error(`FAILED ${failure}`);
}
console.log(failures.length === 0 ? "no failures" : `${failures.length} failures; seed ${seed}`);
process.exitCode = failures.length === 0 ? 0 : 1;

function createRoutes(
  methods: readonly DescMethod[],
  types: Registry,
  onUnsupported?: (method: DescMethod, error: Error) => void,
): RouteTable {
  return createRouteTable(methods, {
    unknownParameters: "reject",
    registry: types,
    unsupported: "skip",
    // The messages are compared with what was sent.
    updateMasks: "leave",
    onUnsupported,
  });
}

/** Compares the rules that are not accepted with the list of known ones. */
function checkSkipped(): void {
  const known = readFileSync(values.unsupported, "utf8").split("\n");
  const listed = known.filter((line) => line !== "" && !line.startsWith("#"));
  for (const line of skipped.filter((each) => !listed.includes(each))) {
    fail(`not accepted, and not listed: ${line}`);
  }
  for (const line of listed.filter((each) => !skipped.includes(each))) {
    fail(`listed, but accepted: ${line}`);
  }
}

async function checkApi({ name, methods, registry }: Api): Promise<void> {
  const routes = createRoutes(methods, registry);
  totals.routes += routes.bindings.length;
  for (const binding of routes.bindings) {
    const where = `${binding.method.parent.typeName}.${binding.method.name} (${binding.httpMethod} ${binding.template.source})`;
    try {
      checkBinding(routes, binding, registry, where);
    } catch (thrown) {
      fail(`${where}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
    }
  }
  const info = { title: name, version: "1", description: "" };
  const description = { baseUrl: undefined, requestLimit: () => 1000 };
  const document = openApiDocument(routes.bindings, { info, comments: {} }, description);
  // The validator resolves references in place.
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  totals.documents += 1;
  if (!valid) {
    fail(`the OpenAPI document of ${name}: ${JSON.stringify(errors).slice(0, 500)}`);
  }
}

/** Checks random requests and responses of a route. */
function checkBinding(routes: RouteTable, binding: HttpBinding, registry: Registry, where: string): void {
  const { input, output } = binding.method;
  const exchanges = fc.record({
    request: anyRequest(binding, seededChoices(seed), LIMITS),
    response: anyMessage(output, () => true, 2),
  });
  for (const { request, response } of fc.sample(exchanges, { numRuns: count, seed })) {
    const { path, query, message, ...content } = request;
    const bound = routes
      .find(binding.httpMethod, path, query)
      .bind({ ...content, contentEncoding: undefined });
    totals.requests += 1;
    if (bound.method !== binding.method) {
      fail(`${where}: ${path} arrives at ${bound.method.name}`);
    } else if (!isDeepStrictEqual(bound.message, message)) {
      const difference = [bound.message, message].map((each) => toJson(input, each, { registry }));
      fail(
        `${where}: ${path}?${query} becomes ${difference.map((each) => JSON.stringify(each)).join(", not ")}`,
      );
    }
    const { body } = bound.encode(response);
    const json = toJson(output, response, { alwaysEmitImplicit: true, registry });
    const field = binding.responseBody;
    // A field that is absent is null.
    const expected = field === undefined ? json : ((json as JsonObject)[field.jsonName] ?? null);
    totals.responses += 1;
    const text = JSON.stringify(expected);
    if (typeof body === "string" && body !== text && asFloats(body) !== asFloats(text)) {
      fail(`${where}: the response is ${body}, not ${text}`);
    }
  }
}

/** Rounds all numbers in a JSON text to 32 bits: protobuf-es does not write floats in their shortest form. */
function asFloats(json: string): string {
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => (typeof value === "number" ? Math.fround(value) : value)),
  );
}

/** The methods with an HTTP rule of one proto package, which one server could offer. */
interface Api {
  readonly name: string;
  readonly methods: readonly DescMethod[];
  /** The types of its project, and those of the test messages. */
  readonly registry: Registry;
}

/** Reads APIs from files with a `google.protobuf.FileDescriptorSet`. Of two with the same proto package, the first one counts. */
function loadApis(paths: readonly string[]): Api[] {
  const apis = paths.flatMap(readApis);
  return [...new Map(apis.toReversed().map((api) => [api.name, api])).values()].toReversed();
}

function readApis(path: string): Api[] {
  const files = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(path)));
  const byPackage = new Map<string, DescMethod[]>();
  for (const desc of files) {
    const methods = desc.kind === "service" ? desc.methods.filter((each) => hasOption(each, http)) : [];
    if (methods.length > 0) {
      const name = desc.file.proto.package;
      byPackage.set(name, [...(byPackage.get(name) ?? []), ...methods]);
    }
  }
  const registry = createRegistry(files, file_library_v1_library);
  return [...byPackage].map(([name, methods]) => ({ name, methods, registry }));
}

/** The number of HTTP rules of a method. */
function countRules(method: DescMethod): number {
  return 1 + getOption(method, http).additionalBindings.length;
}
