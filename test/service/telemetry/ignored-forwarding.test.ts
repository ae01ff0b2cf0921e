import { expect, test } from "vitest";
import { watchForwarding } from "../../../src/service/telemetry/ignored-forwarding.js";

const PROXIES = ["10.0.0.0/8", "2001:db8::/64"];

/** The reports of requests from an address with headers. */
function reportsOf(
  trustedProxies: string[],
  address: string,
  headers: Record<string, string>,
  header?: string,
) {
  const reports: string[][] = [];
  const examine = watchForwarding(
    { trustedProxies, clientAddressHeader: header ?? "x-forwarded-for" },
    (...report) => reports.push(report),
  );
  for (let request = 0; request < 3; request++) {
    examine({ clientAddress: address, header: (name) => headers[name] });
  }
  return reports;
}

// `address` is that of the client: of a trusted proxy, what its header has.
test.each<[string[], string, Record<string, string>, (string | undefined)?, string?]>([
  [[], "192.0.2.1", {}],
  [[], "192.0.2.1", { "x-forwarded-for": "198.51.100.1" }, "x-forwarded-for"],
  [[], "::1", { forwarded: "for=198.51.100.1" }, "forwarded"],
  [[], "192.0.2.1", { "x-real-ip": "198.51.100.1" }, "x-real-ip"],
  [[], "192.0.2.1", { "cf-connecting-ip": "198.51.100.1" }, "cf-connecting-ip"],
  [PROXIES, "198.51.100.1", { "x-forwarded-for": "203.0.113.1, 198.51.100.1" }],
  [PROXIES, "10.1.2.3", { "x-forwarded-for": "unknown" }],
  [PROXIES, "192.0.2.1", { "x-forwarded-for": "198.51.100.1" }, "x-forwarded-for"],
  [PROXIES, "192.0.2.1", { "x-real-ip": "198.51.100.1" }, "x-real-ip"],
  [
    PROXIES,
    "198.51.100.1",
    { "x-client": "198.51.100.1", "x-forwarded-for": "192.0.2.9" },
    undefined,
    "x-client",
  ],
  [PROXIES, "192.0.2.1", { "x-client": "198.51.100.1" }, "x-client", "x-client"],
])("trusted: %j, %s with %j is reported once as %s", (proxies, address, headers, name, header) => {
  expect(reportsOf(proxies, address, headers, header)).toEqual(name === undefined ? [] : [[name, address]]);
});

test("after a hundred requests, one of sixteen is examined", () => {
  let reports = 0;
  let examined = 0;
  const examine = watchForwarding(
    { trustedProxies: [], clientAddressHeader: "x-forwarded-for" },
    () => reports++,
  );
  const send = (value?: string) => {
    examine({
      clientAddress: "192.0.2.1",
      header: (name) => {
        examined += name === "forwarded" ? 1 : 0;
        return value;
      },
    });
  };
  for (let request = 0; request < 260; request++) {
    send();
  }
  expect([reports, examined]).toEqual([0, 110]);
  for (let request = 0; request < 16; request++) {
    send("198.51.100.1");
  }
  expect(reports).toBe(1);
});
