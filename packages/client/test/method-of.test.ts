import { createRouterTransport } from "@connectrpc/connect";
import { SERVICES } from "@utility-tools/protos/services.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { expect, test } from "vitest";
import { createClientOver } from "../src/client-over.js";
import { methodOf, serviceNameOf } from "../src/method-of.js";

test.each(Object.entries(SERVICES))("knows what a client calls %s", (name, service) => {
  expect(serviceNameOf(service)).toBe(name);
});

test("finds every method of a client", () => {
  const client = createClientOver(createRouterTransport(() => {}));
  for (const service of Object.values(SERVICES)) {
    for (const method of service.methods) {
      expect(methodOf(client, method as typeof SERVICES.geoIp.method.lookupIp)).toBeTypeOf("function");
    }
  }
});

test("calls it", async () => {
  const { method } = SERVICES.email;
  const transport = createRouterTransport(({ rpc }) => {
    rpc(method.sanitizeEmail, ({ email }) => ({ email: email.toLowerCase() }));
  });
  const call = methodOf(createClientOver(transport), method.sanitizeEmail);
  expect(await call({ email: "A@B.example" })).toMatchObject({ email: "a@b.example" });
});

test("tells of a service that clients do not have", () => {
  expect(() => serviceNameOf(Health)).toThrow("clients have no grpc.health.v1.Health");
});
