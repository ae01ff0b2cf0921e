import { createRegistry, toBinary } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { encodeError, splitTarget } from "connect-transcoding";
import { createRouteTable, type RouteTable } from "connect-transcoding/rules";
import { type Case, measured, readCaseOptions, runCases } from "connect-transcoding-testing/cases.js";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { short } from "connect-transcoding-testing/differences.js";
import {
  file_library_v1_library,
  LibraryService,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { ANY_REQUEST, type EngineRequest, hostileRequests } from "./engine-requests.js";

// Sends random and mutated requests through the engine, and before them those of maximum size. Each must quickly become a message or
// an error below 500.

/** The maximum processor time of a request, in milliseconds. The best of twenty runs counts, since the machine may be shared. */
const MAX_MILLISECONDS = 50;

const STORE = "StoreSpecimenRequest";
const service = defineService([
  { name: "Find", input: "Specimen", rule: ruleOf("GET /v1/specimens") },
  { name: "Add", input: "Specimen", rule: { ...ruleOf("POST /v1/specimens"), body: "*" } },
  { name: "Look", input: STORE, rule: ruleOf("GET /v1/{name=halls/*/shelves/**}") },
  { name: "Peek", input: STORE, rule: ruleOf("GET /v1/{name=halls/**}/shelves/{specimen.string_value}") },
  { name: "Keep", input: "google.protobuf.Struct", rule: { ...ruleOf("POST /v1/halls"), body: "*" } },
  { name: "Store", input: STORE, rule: { ...ruleOf("PUT /v1/stores/{name}"), body: "specimen" } },
  { name: "Lend", input: STORE, rule: { ...ruleOf("PUT /v1/stores/{name}/lenders"), body: "lenders" } },
  {
    name: "Amend",
    input: STORE,
    rule: { ...ruleOf("PATCH /v1/stores/{name}/{specimen.int64_value}"), body: "*" },
  },
  { name: "Upload", input: "UploadRequest", rule: { ...ruleOf("PUT /v1/files/{name}"), body: "file" } },
  { name: "Dump", input: "google.api.HttpBody", rule: { ...ruleOf("POST /v1/dump"), body: "*" } },
  {
    name: "Point",
    input: "Specimen",
    rule: ruleOf(
      "GET /v1/{genre}/{uint32_value}/{bytes_value}/{double_value}/{chosen_flag}/{nested.sint64_value}",
    ),
  },
]);
const registry = createRegistry(file_library_v1_library);
const methods = [...LibraryService.methods, ...service.methods];
const tables = (["reject", "ignore"] as const).map((unknownParameters) =>
  createRouteTable(methods, { unknownParameters, registry }),
);

/** Transcodes one request to a message or an error. Throws if the engine throws anything but a `ConnectError`. */
function statusOf(routes: RouteTable, { httpMethod, target, ...content }: EngineRequest): number {
  try {
    const { path, query } = splitTarget(target);
    const { method, message } = routes.find(httpMethod, path, query).bind(content);
    // The message must be encodable for other protocols too.
    toBinary(method.input, message);
    return 200;
  } catch (thrown) {
    if (!(thrown instanceof ConnectError)) {
      throw thrown;
    }
    const { status, body } = encodeError(thrown);
    JSON.parse(String(body));
    return status;
  }
}

/** Runs a request through both route tables. */
function check(request: EngineRequest, count: Case["count"]): string[] {
  const problems = tables.flatMap((routes) => {
    const run = () => measured(() => statusOf(routes, request));
    let { result: status, milliseconds } = run();
    for (let again = 0; again < 19 && milliseconds > MAX_MILLISECONDS; again++) {
      milliseconds = Math.min(milliseconds, run().milliseconds);
    }
    count("statuses", String(status));
    return [
      ...(status >= 500 ? [`status ${status}`] : []),
      ...(milliseconds > MAX_MILLISECONDS ? [`${milliseconds.toFixed(1)} ms`] : []),
    ];
  });
  const { body, ...head } = request;
  const text = Buffer.from(body).toString("latin1");
  return problems.length === 0 ? [] : [...problems, short(head, 600), short(text, 300)];
}

const options = readCaseOptions("fuzz/engine");
// Those of maximum size are part of the first case.
const hostile = options.from === 0 ? [...hostileRequests()] : [];
await runCases(options, {
  run: ({ index, count }) => {
    const random = fc.sample(ANY_REQUEST, { seed: options.seed + index, numRuns: 1 });
    return [...(index === 0 ? hostile : []), ...random].flatMap((request) => check(request, count));
  },
});
