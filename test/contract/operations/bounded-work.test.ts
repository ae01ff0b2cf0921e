import { once } from "node:events";
import { connect } from "node:http2";
import { callStream, framed, openStream, statusOf } from "connect-transcoding-testing/grpc-stream.js";
import { describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { useServer } from "../support/serve.js";

// No client can starve or fill the service.

describe("a client with much work", () => {
  const server = useServer();
  const post = (path: string, body: unknown) =>
    send(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test("does not make others wait for all of it", async () => {
    // Each domain has as many labels as fit, and a script for which the conversion is slow.
    const emails = Array.from({ length: 1000 }, (_, index) => `a${index}@${"ا.".repeat(30)}de`);
    const order: string[] = [];
    const batch = post("/v1/sanitizeEmail:batch", { emails }).then((response) => {
      order.push("batch");
      return response;
    });
    // The lookups are sent one after another; the first ones arrive before the batch.
    for (let lookup = 0; lookup < 10; lookup++) {
      const { status } = await send(`${server.url}/v1/geoIp?ip_address=8.8.8.${lookup}`);
      expect(status).toBe(200);
      order.push("lookup");
    }
    const { status, text } = await batch;
    expect(status).toBe(200);
    expect(JSON.parse(text).results).toHaveLength(1000);
    expect(order).toEqual([...Array(10).fill("lookup"), "batch"]);
  });

  test("gets an error for each domain that cannot be valid", async () => {
    const { status, text } = await post("/v1/sanitizeEmail:batch", { emails: [`a@${"ا.".repeat(80)}de`] });
    expect([status, JSON.parse(text).results[0].error.reason]).toEqual([200, "DOMAIN_TOO_LONG"]);
  });
});

describe("a client that does not read", () => {
  const LIMIT = 1_000_000;
  const server = useServer({ transport: { maxHeldBytes: LIMIT } });
  const LONG = "/v1/countries";

  test("has its next requests rejected while others are served", async () => {
    // No stream has a window, so the server holds all bodies.
    const session = connect(server.url, { settings: { initialWindowSize: 0 } });
    const { byteLength } = new TextEncoder().encode((await send(`${server.url}${LONG}`)).text);
    const count = Math.ceil((0.8 * LIMIT) / byteLength);
    const responses = Array.from({ length: count }, () => {
      const stream = session.request({ ":path": LONG, "accept-encoding": "identity" });
      stream.on("error", () => {});
      return new Promise((resolve) => stream.pause().once("response", resolve));
    });
    await Promise.all(responses);
    const rejected = session.request({ ":path": "/v1/geoIp?ip_address=8.8.8.8" });
    const [headers] = await once(rejected, "response");
    expect([headers[":status"], headers["retry-after"]]).toEqual([503, "1"]);
    const invalid = session.request({ ":authority": "a b", ":path": LONG });
    const [invalidHeaders] = await once(invalid, "response");
    expect(invalidHeaders[":status"]).toBe(400);
    const call = openStream(session, "/utilitytools.v1.GeoIpService/LookupIp");
    call.end(framed(Buffer.from("\n\x078.8.8.8")));
    const [trailersOnly] = await once(call, "response");
    expect(trailersOnly["grpc-status"]).toBe("8");

    const other = connect(server.url);
    const lookup = await callStream(other, "/utilitytools.v1.GeoIpService/LookupIp", [
      framed(Buffer.from("\n\x078.8.8.8")),
    ]);
    expect(statusOf(lookup)).toBe(0);
    other.close();
    session.destroy();
  });
});
