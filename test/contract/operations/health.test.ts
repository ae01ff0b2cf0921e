import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { requestKind } from "connect-transcoding-operations/request-kind";
import { callStream, framed, openStream, statusOf } from "connect-transcoding-testing/grpc-stream.js";
import { beforeAll, describe, expect, test } from "vitest";
import { type Server, startServer } from "../../../src/service/server.js";
import { emailService } from "../../../src/tools/email/email-service.js";

const EMAIL = EmailService.typeName;
const kinds: string[] = [];
let server: Server;

beforeAll(async () => {
  const started = await startServer({
    host: "127.0.0.1",
    port: 0,
    publicBaseUrl: undefined,
    unknownParameters: "reject",
    tools: [emailService()],
    onRequest: (request) => {
      kinds.push(requestKind(request));
    },
    reportBug: (bug) => {
      throw bug;
    },
  });
  if (!started.ok) {
    throw new Error(started.failure.description);
  }
  server = started.value;
  return () => server.stop(0);
});

const client = () => createClient(Health, createGrpcTransport({ baseUrl: server.url }));

describe.each([
  ["/healthz", '{"healthy":true}'],
  ["/readyz", '{"ready":true,"stopping":false,"not_ready":[]}'],
])("%s", (path, body) => {
  test("responds to GET and HEAD, and is never cached", async () => {
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(`${server.url}${path}`, { method });
      expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(response.headers.get("etag")).toBeNull();
      expect(response.headers.get("content-length")).toBe(String(body.length));
      expect(await response.text()).toBe(method === "HEAD" ? "" : body);
    }
  });
});

describe("grpc.health.v1.Health", () => {
  test("List", async () => {
    const { statuses } = await client().list({});
    const byName = Object.entries(statuses).map(([name, { status }]) => [name, status]);
    expect(byName).toEqual([
      ["", Status.SERVING],
      [EMAIL, Status.SERVING],
    ]);
  });

  test("and the pages have the same access area", async () => {
    kinds.length = 0;
    await client().check({ service: "" });
    const watch = client().watch({ service: "" })[Symbol.asyncIterator]();
    await watch.next();
    await watch.return?.();
    await Promise.all(["/healthz", "/readyz"].map((path) => fetch(`${server.url}${path}`)));
    expect(kinds).toEqual(["health", "health", "health", "health"]);
  });

  test("List has the access area of reflection, because it lists the services", async () => {
    kinds.length = 0;
    await client().list({});
    expect(kinds).toEqual(["reflection"]);
  });

  test("Watch ends with DEADLINE_EXCEEDED when its deadline expires", async () => {
    const session = connectHttp2(server.url);
    const watch = "/grpc.health.v1.Health/Watch";
    const stream = await callStream(session, watch, [framed(Buffer.alloc(0))], { "grpc-timeout": "50m" });
    session.close();
    // One message: SERVING.
    expect([statusOf(stream), stream.body.toString("hex")]).toEqual([
      Code.DeadlineExceeded,
      "00000000020801",
    ]);
  });

  test("supports many concurrent watches without warnings on standard error", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    const session = connectHttp2(server.url);
    const streams = Array.from({ length: 30 }, () => openStream(session, "/grpc.health.v1.Health/Watch"));
    await Promise.all(
      streams.map((stream) => {
        stream.end(framed(Buffer.alloc(0)));
        return once(stream, "data");
      }),
    );
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
    for (const stream of streams) {
      stream.destroy();
    }
    session.close();
  });

  test("Watch reports shutdown and does not delay it", async () => {
    const watch = client().watch({ service: EMAIL })[Symbol.asyncIterator]();
    expect((await watch.next()).value.status).toBe(Status.SERVING);
    const next = watch.next();
    const stopped = server.stop(5000);
    expect((await next).value.status).toBe(Status.NOT_SERVING);
    expect((await watch.next()).done).toBe(true);
    await stopped;
  });
});
