import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useServer } from "./serve.js";

const server = useServer();
const ROOT = join(import.meta.dirname, "..", "..");
const BUF = join(dirname(createRequire(import.meta.url).resolve("@bufbuild/buf/package.json")), "bin", "buf");

async function bufCurl(...args: string[]): Promise<{ ok: boolean; json: unknown }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [BUF, "curl", ...args], { cwd: ROOT });
    return { ok: true, json: JSON.parse(stdout) };
  } catch (error) {
    const { stderr } = error as { stderr: string };
    return { ok: false, json: JSON.parse(stderr) };
  }
}

const ANSWER = { ip: "8.8.8.8", metadata: expect.objectContaining({ asn: 15169, subnet: "8.8.8.0/24" }) };
const H2C = "--http2-prior-knowledge";

test.each([
  ["gRPC, schema by reflection", ["--protocol", "grpc", H2C]],
  ["gRPC, schema from the files", ["--protocol", "grpc", H2C, "--schema", "proto"]],
  ["gRPC-Web, schema by reflection", ["--protocol", "grpcweb", H2C]],
  ["gRPC-Web over HTTP/1.1", ["--protocol", "grpcweb", "--schema", "proto"]],
  ["Connect over HTTP/1.1", ["--protocol", "connect", "--schema", "proto"]],
  ["Connect, schema by reflection", ["--protocol", "connect", H2C]],
])("buf curl answers: %s", async (_name, args) => {
  const url = `${server.url}/utilitytools.v1.GeoIpService/LookupIp`;
  expect(await bufCurl(...args, url, "-d", '{"ip_address":"8.8.8.8"}')).toEqual({ ok: true, json: ANSWER });
});

test("buf curl shows an error with its details", async () => {
  const url = `${server.url}/utilitytools.v1.GeoIpService/LookupIp`;
  expect(await bufCurl("--protocol", "grpc", H2C, url, "-d", '{"ip_address":"10.0.0.1"}')).toEqual({
    ok: false,
    json: {
      code: "not_found",
      message: expect.stringContaining("Private-Use"),
      details: [expect.objectContaining({ type: "google.rpc.ErrorInfo" })],
    },
  });
});
