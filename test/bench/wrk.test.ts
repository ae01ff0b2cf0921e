import { describe, expect, test } from "vitest";
import { parseWrk, wrkScript } from "./wrk.js";

const output = (summary: string) => `Running 1s test @ http://127.0.0.1:37097
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.64ms    2.12ms  25.33ms   88.74%
    Req/Sec     9.16k     5.41k   15.26k    50.00%
  9098 requests in 1.00s, 3.05MB read
Requests/sec:   9081.87
Transfer/sec:      3.04MB
${summary}`;

describe("parseWrk", () => {
  test("reads the line of the script, and nothing else", () => {
    const summary =
      '{"requests":9098,"microseconds":1001776,"p50":668,"p99":10128,"connect":0,"read":0,"write":0,"timeout":0,"status":0}\n';
    const { requestsPerSecond, ...rest } = parseWrk(output(summary));
    expect(rest).toEqual({ requests: 9098, p50: 0.668, p99: 10.128, problems: [] });
    expect(requestsPerSecond).toBeCloseTo(9081.87, 2);
  });

  test("names every kind of error", () => {
    const summary =
      '{"requests":5,"microseconds":1000000,"p50":1,"p99":1,"connect":1,"read":2,"write":3,"timeout":4,"status":5}';
    expect(parseWrk(output(summary)).problems).toEqual([
      "1 connect errors",
      "2 read errors",
      "3 write errors",
      "4 timeout errors",
      "5 status errors",
    ]);
  });

  test("takes no answers at all for a problem", () => {
    const summary =
      '{"requests":0,"microseconds":1000000,"p50":0,"p99":0,"connect":0,"read":0,"write":0,"timeout":0,"status":0}';
    expect(parseWrk(output(summary)).problems).toEqual(["no request was answered"]);
  });

  test("refuses output without the line", () => {
    expect(() => parseWrk(output(""))).toThrow("wrk printed no summary");
  });
});

describe("wrkScript", () => {
  test("holds each request as it goes over the wire", () => {
    const script = wrkScript([
      { method: "GET", path: "/a?b=1", headers: { host: "x.test" }, body: "" },
      { method: "POST", path: "/c", headers: { host: "x.test" }, body: '{"d":"e"}' },
    ]);
    expect(script).toContain(`local requests = {
  "GET /a?b=1 HTTP/1.1\\r\\nhost: x.test\\r\\n\\r\\n",
  "POST /c HTTP/1.1\\r\\nhost: x.test\\r\\ncontent-length: 9\\r\\n\\r\\n{\\"d\\":\\"e\\"}",
}`);
  });

  test.each(["ü", "\t", "\u2028"])("refuses %j, which Lua would read differently", (body) => {
    expect(() => wrkScript([{ method: "POST", path: "/", headers: {}, body }])).toThrow("printable ASCII");
  });
});
