import { create } from "@bufbuild/protobuf";
import { Health, HealthCheckRequestSchema } from "connect-transcoding/gen/health/v1/health_pb.js";
import { expect, test } from "vitest";
import type { Policy } from "../../src/node/handler-context.js";
import {
  createMethodTable,
  implement,
  type MethodImplementation,
  methodPath,
} from "../../src/node/methods.js";
import { testCall } from "./call.js";

const events: string[] = [];

/** A policy that tells when it runs, and of which method. */
const telling = (name: string): Policy => ({
  single: (run, call) => {
    events.push(`${name} ${call.method.name}`);
    return run();
  },
  stream: (run, call) => {
    events.push(`${name} ${call.method.name}, a stream`);
    return run();
  },
});

const service = implement(Health, {
  check: () => ({ status: 1 }),
  list: () => ({}),
  async *watch() {
    yield { status: 2 };
  },
});
const REQUEST = create(HealthCheckRequestSchema);

async function* requests() {
  yield REQUEST;
}

/** The same handlers as those of methods that take a stream. */
const streaming: MethodImplementation[] = service.methods.map((each) =>
  each.kind === "unary"
    ? ({ ...each, kind: "client_streaming" } as unknown as MethodImplementation)
    : ({ ...each, kind: "bidi_streaming" } as unknown as MethodImplementation),
);

async function run(implementation: MethodImplementation): Promise<void> {
  const call = testCall(implementation.method);
  switch (implementation.kind) {
    case "unary":
      await implementation.handler(REQUEST, call);
      return;
    case "client_streaming":
      await implementation.handler(requests(), call);
      return;
    case "server_streaming":
      for await (const _message of implementation.handler(REQUEST, call));
      return;
    case "bidi_streaming":
      for await (const _message of implementation.handler(requests(), call));
  }
}

test.each([
  ["methods that take a message", service.methods],
  ["methods that take a stream", streaming],
])("policies are around %s, the first outermost", async (_name, methods) => {
  events.length = 0;
  const table = createMethodTable([{ service: Health, methods }], [telling("first"), telling("second")]);
  for (const implementation of table.implementations) {
    await run(implementation);
  }
  expect(events).toEqual([
    ...["first Check", "second Check"],
    ...["first Watch, a stream", "second Watch, a stream"],
    ...["first List", "second List"],
  ]);
});

test("a table finds methods by their descriptors, and names their paths", () => {
  const table = createMethodTable([service], []);
  expect(table.of(Health.method.check)).toBe(table.implementations[0]);
  expect(createMethodTable([], []).of(Health.method.check)).toBeUndefined();
  expect(methodPath(Health.method.check)).toBe("/grpc.health.v1.Health/Check");
});
