import type { ConnectRouter, Interceptor } from "@connectrpc/connect";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { describe, expect, test } from "vitest";
import { collectMethods, methodPath, servedMethods } from "../../src/routes/served-methods.js";

const implementation = { check: () => ({ status: 1 }), list: () => ({}), async *watch() {} };
const first: Interceptor = (next) => next;
const second: Interceptor = (next) => next;

describe("collectMethods", () => {
  test("returns the methods of services and single methods in their order", () => {
    const methods = collectMethods((router) =>
      router
        .rpc(ServerReflection.method.serverReflectionInfo, async function* () {})
        .service(Health, implementation),
    );
    expect(methods.map(({ method }) => methodPath(method))).toEqual([
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
      ...["Check", "Watch", "List"].map((name) => `/grpc.health.v1.Health/${name}`),
    ]);
  });

  test("merges options: those of a registration override those of the router", () => {
    const routes = (router: ConnectRouter) =>
      router
        .service(Health, implementation, { readMaxBytes: 1, interceptors: [second] })
        .rpc(Health.method.check, implementation.check, { writeMaxBytes: 4 })
        .rpc(Health.method.check, implementation.check);
    const methods = collectMethods(routes, { readMaxBytes: 2, writeMaxBytes: 3, interceptors: [first] });
    const [options] = methods.map((each) => each.options);
    expect(options).toEqual({ readMaxBytes: 1, writeMaxBytes: 3, interceptors: [second] });
    expect(methods.at(-2)?.options).toEqual({ readMaxBytes: 2, writeMaxBytes: 4, interceptors: [first] });
    expect(methods.at(-1)?.options).toEqual({ readMaxBytes: 2, writeMaxBytes: 3, interceptors: [first] });
  });

  test("keeps `grpc: false` of the router when a service has options of its own", () => {
    const routes = (router: ConnectRouter) => router.service(Health, implementation, { maxTimeoutMs: 1000 });
    const methods = collectMethods(routes, { grpc: false });
    expect(methods.map(({ options }) => options.grpc)).toEqual([false, false, false]);
  });
});

test("methods know whether their requests and responses are streams", () => {
  const routes = (router: ConnectRouter) => router.service(Health, implementation);
  const kinds = servedMethods(collectMethods(routes)).map(({ path, takesStream, givesStream }) => [
    path,
    takesStream,
    givesStream,
  ]);
  expect(kinds).toEqual([
    ["/grpc.health.v1.Health/Check", false, false],
    ["/grpc.health.v1.Health/Watch", false, true],
    ["/grpc.health.v1.Health/List", false, false],
  ]);
});
