import { createRegistry, toBinary } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { encodeError, splitTarget } from "connect-transcoding";
import { createRouteTable, type RouteTable } from "connect-transcoding/rules";
import {
  file_library_v1_library,
  LibraryService,
} from "../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { defineService, ruleOf } from "../../packages/connect-transcoding/test/support/define-service.js";
import { randomAt, readRunArguments } from "./random.js";
import { anyRequest, describeRequest, type FuzzRequest, hostileRequests } from "./requests.js";

// Sends random and mutated requests through the engine. Each must quickly become a message or an error below 500: `npm
// run fuzz -- --count 50000 --seed 1`. To repeat a single request by its index: `--seed 1 --from 4711 --count 1`.

/**
 * The maximum duration of a request, in milliseconds. The best of three runs counts, since the machine may be shared.
 */
const MAX_MILLISECONDS = 50;

/** The run ends after this many failures. */
const MAX_FAILURES = 10;

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

interface Outcome {
  readonly status: number;
  readonly milliseconds: number;
}

/** Transcodes one request to a message or an error. Throws if the engine throws anything but a `ConnectError`. */
function run(routes: RouteTable, { httpMethod, target, ...content }: FuzzRequest): Outcome {
  const start = performance.now();
  try {
    const { method, message } = findRoute(routes, httpMethod, target).bind(content);
    const milliseconds = performance.now() - start;
    // The message must be encodable for other protocols too.
    toBinary(method.input, message);
    return { status: 200, milliseconds };
  } catch (thrown) {
    if (!(thrown instanceof ConnectError)) {
      throw thrown;
    }
    const { status, body } = encodeError(thrown);
    const milliseconds = performance.now() - start;
    JSON.parse(String(body));
    return { status, milliseconds };
  }
}

const { count, from, seed } = readRunArguments();

const statuses = new Map<number, number>();
const failures: string[] = [];
const slowest = { milliseconds: 0, request: "" };
const started = performance.now();

/** Runs one request through both route tables. */
function check(name: string, request: FuzzRequest): void {
  const fail = (problem: string) => failures.push(`${name}: ${problem}\n  ${describeRequest(request)}`);
  for (const routes of tables) {
    try {
      let { status, milliseconds } = run(routes, request);
      for (let again = 0; again < 2 && milliseconds > MAX_MILLISECONDS; again++) {
        milliseconds = Math.min(milliseconds, run(routes, request).milliseconds);
      }
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500) {
        fail(`status ${status}`);
      }
      if (milliseconds > MAX_MILLISECONDS) {
        fail(`${milliseconds.toFixed(1)} ms`);
      }
      if (milliseconds > slowest.milliseconds) {
        Object.assign(slowest, { milliseconds, request: `${name}: ${describeRequest(request)}` });
      }
    } catch (thrown) {
      const what =
        thrown instanceof Error ? thrown.stack?.split("\n").slice(0, 8).join("\n  ") : String(thrown);
      fail(`threw ${what}`);
    }
  }
}

const hostile = from === 0 ? [...hostileRequests()] : [];
for (const [index, request] of hostile.entries()) {
  check(`hostile request ${index}`, request);
}
console.log(`${hostile.length} hostile requests: slowest ${slowest.milliseconds.toFixed(1)} ms`);

for (let index = from; index < from + count && failures.length < MAX_FAILURES; index++) {
  check(`request ${index}`, anyRequest(randomAt(seed, index)));
}

const seconds = (performance.now() - started) / 1000;
const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
console.log(`${seconds.toFixed(1)} s; each request twice (reject and ignore); ${byStatus.join(", ")}`);
console.log(`slowest: ${slowest.milliseconds.toFixed(1)} ms, ${slowest.request}`);
for (const failure of failures.slice(0, MAX_FAILURES)) {
  console.error(`FAILED ${failure}`);
}
console.log(failures.length === 0 ? "no failures" : `${failures.length} failures; seed ${seed}`);
process.exitCode = failures.length === 0 ? 0 : 1;

function findRoute(routes: RouteTable, httpMethod: string, target: string) {
  const { path, query } = splitTarget(target);
  return routes.find(httpMethod, path, query);
}
