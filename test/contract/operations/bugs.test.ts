import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { afterEach, describe, expect, test } from "vitest";
import { createTool } from "../../../src/tools/tool.js";
import { connectClients, grpcJsClient, restOutcome, send } from "../support/clients.js";
import { OTHER_METHODS, useServer } from "../support/serve.js";

const BUG = new TypeError("cannot read the secret JBSWY3DP");
const server = useServer({
  tools: [
    createTool(GeoIpService, {
      ...OTHER_METHODS,
      lookupIp: () => {
        throw BUG;
      },
    }),
  ],
});

const INTERNAL = { code: "INTERNAL", reason: "INTERNAL", fields: [] };
const { lookupIp } = GeoIpService.method;

describe("a bug in a handler is reported, but not to the client", () => {
  afterEach(() => {
    expect(new Set(server.bugs)).toEqual(new Set([BUG]));
  });

  test("over REST", async () => {
    const exchange = await send(`${server.url}/v1/geoIp?ip_address=8.8.8.8`);
    expect(exchange.status).toBe(500);
    expect(restOutcome(exchange)).toEqual(INTERNAL);
    expect(exchange.text).not.toMatch(/secret|TypeError|at /);
  });

  test("over gRPC, gRPC-Web and Connect", async () => {
    for (const [name, call] of connectClients(server.url)) {
      expect([name, await call(lookupIp, {})]).toEqual([name, INTERNAL]);
    }
  });

  test("over grpc-js", async () => {
    const call = grpcJsClient(server.url);
    expect(await call(lookupIp, {})).toEqual(INTERNAL);
    call.close();
  });
});
