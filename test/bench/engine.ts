import { parseArgs } from "node:util";
import { create, createRegistry, type MessageInitShape, toBinary, toJson } from "@bufbuild/protobuf";
import { splitTarget } from "connect-transcoding";
import { createBinaryWriters } from "connect-transcoding/codec";
import { createRouteTable, type RouteTable } from "connect-transcoding/rules";
import {
  type BookSchema,
  file_library_v1_library,
} from "../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { defineService, ruleOf } from "../../packages/connect-transcoding/test/support/define-service.js";
import { type Contestant, type Measurement, measure, sink } from "./measure.js";
import { ALL_FIELDS, type BenchRequest, REAL_METHODS, REAL_REQUESTS } from "./real-requests.js";

// How long the engine takes for a request: `npm run bench:engine -- --rounds 50`. No connection and no handler are in it.
// Beside it, in the same run, what one would write by hand for that one message: reading the body and writing the answer
// with protobuf-es, without routes, selection, names to check or errors to gather.

const options = { unknownParameters: "reject", registry: createRegistry(file_library_v1_library) } as const;
const real = createRouteTable(REAL_METHODS, options);

const binaryWriters = createBinaryWriters();
const GRPC_PREFIX_BYTES = 5;

/** Makes `count` routes of one shape, in the manner of a large API. */
function synthetic(count: number): RouteTable {
  const rules = [
    "GET /v1/{name=area%/*/items/*}",
    "GET /v1/area%/{name}",
    "POST /v1/{name=area%/*}:run",
    "GET /v1/area%",
    "DELETE /v1/area%/*/{name=**}",
  ];
  const definitions = Array.from({ length: count }, (_, index) => {
    const rule = rules[index % rules.length] ?? "";
    return {
      name: `Method${index}`,
      rule: ruleOf(rule.replace("%", String(Math.floor(index / rules.length)))),
    };
  });
  return createRouteTable(defineService(definitions).methods, options);
}

type Request = Omit<BenchRequest, "name" | "byHand">;

const NO_CONTENT = { contentType: undefined, contentEncoding: undefined, body: new Uint8Array() };
const book: MessageInitShape<typeof BookSchema> = {
  name: "area0/1/items/2",
  title: "T",
  isbn: 9n,
  authorNames: ["A", "B"],
};

function finding(name: string, routes: RouteTable, verb: string, target: string): Contestant {
  const { path, query } = splitTarget(target);
  return {
    name,
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = routes.find(verb, path, query);
      }
    },
  };
}

function binding(name: string, routes: RouteTable, { verb, target, contentType, body }: Request): Contestant {
  const content = { ...NO_CONTENT, contentType, body };
  const { path, query } = splitTarget(target);
  return {
    name,
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = routes.find(verb, path, query).bind(content);
      }
    },
  };
}

function whole(name: string, routes: RouteTable, request: Request): Contestant {
  const { verb, target, contentType, body, answer } = request;
  const content = { ...NO_CONTENT, contentType, body };
  const { path, query } = splitTarget(target);
  return {
    name,
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = routes.find(verb, path, query).bind(content).encode(answer);
      }
    },
  };
}

/** The answer alone: as the engine writes it, as protobuf-es does, and as JavaScript writes what is JSON already. */
function encoding({ verb, target, contentType, body, answer }: BenchRequest): Contestant[] {
  const { path, query } = splitTarget(target);
  const { method, encode } = real.find(verb, path, query).bind({ ...NO_CONTENT, contentType, body });
  const { headers, body: written } = encode(answer);
  if (typeof written !== "string" || !headers["content-type"]?.startsWith("application/json")) {
    return [];
  }
  const message = create(method.output, answer);
  const json: unknown = JSON.parse(written);
  return [
    { name: "encode", run: repeat(() => encode(answer)) },
    {
      name: "toJson, JSON.stringify",
      run: repeat(() => JSON.stringify(toJson(method.output, message, ALL_FIELDS))),
    },
    { name: "JSON.stringify alone", run: repeat(() => JSON.stringify(json)) },
  ];
}

/** The answer alone in protobuf's binary format: as the engine writes it, and as protobuf-es does. */
function encodingBinary({ verb, target, contentType, body, answer }: BenchRequest): Contestant[] {
  const { path, query } = splitTarget(target);
  const { output } = real.find(verb, path, query).bind({ ...NO_CONTENT, contentType, body }).method;
  const write = binaryWriters.ofMessage(output);
  return [
    { name: "binary", run: repeat(() => write(answer, GRPC_PREFIX_BYTES)) },
    { name: "toBinary, create", run: repeat(() => toBinary(output, create(output, answer))) },
  ];
}

function repeat(run: () => unknown): Contestant["run"] {
  return (times) => {
    for (let index = 0; index < times; index++) {
      sink.last = run();
    }
  };
}

function byHand({ byHand: run, body }: BenchRequest): Contestant {
  return {
    name: "by hand",
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = run(body);
      }
    },
  };
}

function print(title: string, measurements: readonly Measurement[]): void {
  console.log(`\n${title}`);
  for (const { name, median, quartiles } of measurements) {
    const [low, high] = quartiles.map((each) => Math.round(each).toLocaleString("en"));
    console.log(
      `  ${name.padEnd(28)} ${Math.round(median).toLocaleString("en").padStart(8)} ns  (${low} to ${high})`,
    );
  }
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "30" } } });
const rounds = Number(values.rounds);

console.log(
  `Node ${process.version}; median of ${rounds} rounds, and the middle half of them, for one request`,
);

for (const request of REAL_REQUESTS) {
  const contestants = [
    finding("match", real, request.verb, request.target),
    binding("match and bind", real, request),
    whole("match, bind and encode", real, request),
    byHand(request),
    ...encoding(request),
    ...encodingBinary(request),
  ];
  print(request.name, measure(contestants, rounds));
}

const sizes = [5, 500].map((count) => ({ count, routes: synthetic(count) }));
const get = (target: string, answer: BenchRequest["answer"]) => ({
  verb: "GET",
  target,
  contentType: undefined,
  body: NO_CONTENT.body,
  answer,
});
for (const target of ["/v1/area0", "/v1/area0/1/items/2"]) {
  const contestants = sizes.flatMap(({ count, routes }) => [
    finding(`match, ${count} routes`, routes, "GET", target),
    whole(`all of it, ${count} routes`, routes, get(target, book)),
  ]);
  print(`GET ${target}`, measure(contestants, rounds));
}
