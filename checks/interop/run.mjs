// Runs gRPC's interop tests with its clients in Go, Java, Python and Node against the engine, and against the gateway in front of the
// server in Go, each in cleartext and with TLS. `--short` runs the clients in Python and Node alone.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createServer } from "connect-transcoding";
import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { mustRun, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { startProgram } from "connect-transcoding-testing/processes/programs.js";
import { prepared, pythonPrograms } from "connect-transcoding-testing/programs.mjs";
import { ROOT } from "../lib/service.mjs";
import { CASES } from "./cases.mjs";
import { callByGrpcJs } from "./grpc-js.mjs";
import { knownFailures } from "./known.mjs";
import { testRoutes } from "./test-service.mjs";

const HERE = import.meta.dirname;
const GO = join(ROOT, "packages/gateway/checks/gateway/go");
const isShort = process.argv.includes("--short");
const { checkCase, skip, conclude } = knownFailures(join(HERE, "known-failures.txt"));

/** The names of the cases in the official clients. */
const OFFICIAL = [
  ..."empty_unary large_unary client_streaming server_streaming ping_pong empty_stream cancel_after_begin".split(
    " ",
  ),
  ..."cancel_after_first_response timeout_on_sleeping_server custom_metadata status_code_and_message".split(
    " ",
  ),
  ..."special_status_message unimplemented_method unimplemented_service".split(" "),
];
/** Those that only the client in Java has. */
const COMPRESSION = [
  ..."client_compressed_unary_noprobe server_compressed_unary client_compressed_streaming_noprobe".split(" "),
  "server_compressed_streaming",
];
const SKIPPED = {
  "client_compressed_unary, client_compressed_streaming":
    "their probe asks whether one message was compressed, which handlers of connect-es cannot see; without the probe, they run",
  "the flag of server_compressed_*": "handlers cannot ask for the compression of one message",
  very_large_request: "it is larger than the default limit of a message",
  cacheable_unary: "it asks a proxy for a cached response by GET, which gRPC does not have",
  "*_creds, *_credentials, oauth2_auth_token": "they need an account of Google Cloud",
  "orca_*, *_soak, pick_first_unary": "they are about load balancing and load",
};

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
    checkCase(`${where}: ${name}`, found === right, found);
  }
}

async function checkOfficial(where, names, commandOf) {
  for (const name of names) {
    const [program, ...args] = commandOf(name);
    const { failed, stdout, stderr } = await runWith(program, args);
    checkCase(`${where}: ${name}`, !failed, (stderr || stdout).slice(0, 500));
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
  if (isShort) {
    return;
  }
  const tls = isTls
    ? ["--use_tls=true", "--use_test_ca=true", "--server_host_override=foo.test.google.fr"]
    : ["--use_tls=false"];
  const options = ["--server_host=127.0.0.1", `--server_port=${port}`, ...tls];
  await checkOfficial(`${where}, Go`, OFFICIAL, (name) => [goClient(), ...options, `--test_case=${name}`]);
  const java = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", join(javaClient(), "*")];
  const main = "io.grpc.testing.integration.TestServiceClient";
  const names = [...OFFICIAL, ...COMPRESSION];
  // The gateway has the same port as the engine: one of the two stacks of HTTP/2 is enough there.
  for (const client of where.startsWith("engine") ? ["Java", "Java with OkHttp"] : ["Java"]) {
    const command = [...java, main, ...options, `--use_okhttp=${client !== "Java"}`];
    await checkOfficial(`${where}, ${client}`, names, (name) => [...command, `--test_case=${name}`]);
  }
}

/** Builds the client in Go, at the version in go.mod. Returns its path. */
function goClient() {
  const folder = prepared("interop-client-go", pins.slice(0, 2), (target) => {
    const module = mustRun("go", ["list", "-m", "-json", "google.golang.org/grpc"], { cwd: GO });
    const program = `google.golang.org/grpc/interop/client@${JSON.parse(module.stdout).Version}`;
    mustRun("go", ["install", program], { env: { ...process.env, GOBIN: target }, seconds: 900 });
  });
  return join(folder, "client");
}

/** Returns the folder with the packages of the client in Java. */
function javaClient() {
  return prepared("interop-client-java", [join(HERE, "java", "pom.xml")], (target) => {
    const copy = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${target}`];
    mustRun("mvn", copy, { cwd: join(HERE, "java"), seconds: 600 });
  });
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
for (const [name, reason] of Object.entries(SKIPPED)) {
  skip(name, reason);
}
conclude(!isShort);
