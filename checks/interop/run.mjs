// Runs gRPC's interop tests with its clients in Python and Node against the engine, and against the gateway in front of the server in Go,
// each in cleartext and with TLS.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createServer } from "connect-transcoding";
import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { check, conclude, mustRun, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { startProgram } from "connect-transcoding-testing/processes/programs.js";
import { prepared, pythonPrograms } from "connect-transcoding-testing/programs.mjs";
import { ROOT } from "../lib/service.mjs";
import { CASES } from "./cases.mjs";
import { callByGrpcJs } from "./grpc-js.mjs";
import { testRoutes } from "./test-service.mjs";

const HERE = import.meta.dirname;
const GO = join(ROOT, "packages/gateway/checks/gateway/go");

const pins = ["go.mod", "go.sum", "interop/main.go"].map((file) => join(GO, file));
const go = prepared("interop-go", pins, (target) => {
  mustRun("go", ["build", "-o", `${target}/`, "./interop"], { cwd: GO, seconds: 600 });
  mustRun(join(target, "interop"), [join(target, "descriptors.binpb")]);
  const module = mustRun("go", ["mod", "download", "-json", "google.golang.org/grpc"], { cwd: GO });
  mustRun("cp", ["-r", join(JSON.parse(module.stdout).Dir, "testdata"), target]);
});
const DESCRIPTORS = join(go, "descriptors.binpb");
const [CA, CERT, KEY] = ["ca.pem", "server1.pem", "server1.key"].map((file) => join(go, "testdata", file));
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTORS)));

/** Runs a program with a text on its standard input. Resolves to its exit code and what it has printed. */
function runWith(program, args, input = "") {
  return new Promise((resolve) => {
    const options = { timeout: 120_000, maxBuffer: 2 ** 26 };
    const child = execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    );
    child.stdin.end(input);
  });
}

const sorted = (result, expected) => Object.keys(expected).map((key) => [key, result[key]]);

function checkTable(where, results) {
  for (const [index, { name, expected }] of CASES.entries()) {
    const [found, right] = [results[index] ?? {}, expected].map((each) =>
      JSON.stringify(sorted(each, expected)),
    );
    check(`${where}: ${name}`, found === right, found);
  }
}

/** Runs all clients against a server. */
async function checkServer(where, port, isTls) {
  checkTable(`${where}, Node`, await callAllByGrpcJs(port, isTls));
  const python = join(
    pythonPrograms("gateway-python", join(ROOT, "packages/gateway/checks/gateway/python/requirements.txt")),
    "bin/python",
  );
  const table = [join(HERE, "client.py"), String(port), DESCRIPTORS, ...(isTls ? [CA] : [])];
  const { stdout, stderr } = await runWith(python, table, JSON.stringify(CASES));
  checkTable(`${where}, Python`, stdout === "" ? [{ message: stderr }] : JSON.parse(stdout));
}

async function callAllByGrpcJs(port, isTls) {
  const results = [];
  for (const each of CASES) {
    results.push(await callByGrpcJs(each, { port, registry, ca: isTls ? CA : undefined }));
  }
  return results;
}

for (const isTls of [false, true]) {
  const how = isTls ? "TLS" : "cleartext";
  const current = { cert: readFileSync(CERT), key: readFileSync(KEY) };
  const server = createServer({
    routes: testRoutes(registry.getService("grpc.testing.TestService")),
    ...(isTls && { transport: { tls: { current, onChange: () => {} } } }),
  });
  const { port } = await server.listen("127.0.0.1", 0);
  await checkServer(`engine, ${how}`, port, isTls);
  await server.close(0);

  // The certificate of the tests is not for the address of the upstream.
  const { cert, key } = makeCertificate(temporaryFolder("interop"));
  const files = isTls ? [cert, key] : [];
  const upstream = await startProgram((_, at) => [join(go, "interop"), String(at), ...files]);
  const main = join(ROOT, "packages", "gateway", "dist", "main.js");
  const options = isTls ? ["--ca", cert, "--tls-cert", CERT, "--tls-key", KEY] : [];
  const url = `http${isTls ? "s" : ""}://127.0.0.1:${upstream.port}`;
  const gateway = await startProgram((_, at) => [
    ...[process.execPath, main, "--upstream", url, "--port", String(at), ...options],
  ]);
  await checkServer(`gateway, ${how}`, gateway.port, isTls);
  await gateway.stop();
  await upstream.stop();
}
conclude();
