import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../../test/ports.ts";
import { check, checkEqual, mustRun } from "../../lib/checks.mjs";
import { hasGo, prepared, pythonPrograms } from "../programs.mjs";
import { eachTransport, PROTOS, runAsync, serve } from "../service.mjs";

// Each client is a program: `PROGRAM CALLS TARGET PROTOS CERTIFICATE` makes the calls of a JSON array, one entry after the other, and prints
// the result of each as a line of JSON. Without TLS, the certificate is empty. The outcome of a look-up is the address and the number of
// the autonomous system in the response, or the code and the reason of the error. An entry has one of these:
//
// - `addresses`: looks up all of them at the same time. The result is the outcomes.
// - `watches`: opens so many streams at the same time, and ends them by a `timeout`, or without one by cancelling each after its first
//   message. The result is the messages of each with the code at the end.
// - `seconds`: looks up 8.8.8.8 all the time, and waits while it is not connected. The result is the number of each outcome.
// - nothing: lists the services by reflection.

const ADDRESSES = Array.from({ length: 1_000 }, (_, n) => `8.8.${Math.floor(n / 250)}.${(n % 250) + 1}`);
const GOOGLE = "8.8.8.8 15169";
const SERVICE = "utilitytools.v1.GeoIpService";

/** What is tried, the call, and what the result must be. */
const CALLS = [
  ["unary call", { addresses: ["8.8.8.8"] }, [GOOGLE]],
  ["error with details", { addresses: ["nonsense"] }, ["INVALID_ARGUMENT INVALID_PARAMETERS"]],
  ["deadline of a stream", { watches: 1, timeout: 500 }, ["SERVING DEADLINE_EXCEEDED"]],
  ["cancellation of 100 streams", { watches: 100 }, Array(100).fill("SERVING CANCELLED")],
  ["a call after that", { addresses: ["8.8.8.8"] }, [GOOGLE]],
  ["1,000 concurrent calls", { addresses: ADDRESSES }, ADDRESSES, (outcome) => outcome.split(" ")[0]],
  ["reflection", {}, [SERVICE], (name) => (name === SERVICE ? name : [])],
];
/** The number of restarts under load, and the seconds in which a restart takes place. */
const RESTARTS = 2;
const SECONDS_PER_RESTART = 6;

/** The command that runs a client; undefined if it cannot run here. */
const COMMANDS = {
  "grpc-js": () => GRPC_JS,
  "grpc-go": () => {
    const folder = goPrograms();
    return folder && [join(folder, "client")];
  },
  grpcio: () => python("sync"),
  "grpcio aio": () => python("aio"),
};
export const GRPC_JS = [process.execPath, join(import.meta.dirname, "grpc-js.mjs")];

function python(kind) {
  const source = join(import.meta.dirname, "python");
  const folder = pythonPrograms("python", join(source, "requirements.txt"));
  return folder && [join(folder, "bin", "python"), join(source, "client.py"), kind];
}

/** Tries clients of gRPC: one after the other with a few calls of each kind, then all at once while the service restarts. */
export async function tryGrpcClients(names, { certificate }) {
  const clients = names
    .map((name) => ({ name, command: COMMANDS[name]() }))
    .filter(({ command }) => command !== undefined);
  await eachTransport(certificate, async (transport, { target }, files) => {
    for (const { name, command } of clients) {
      await tryCalls(`${name}, ${transport}`, command, target, files?.cert);
    }
  });
  for (const files of [undefined, certificate]) {
    await tryRestarts(clients, files);
  }
}

/** Makes the calls with a client, and checks the result of each. */
export async function tryCalls(name, command, target, certificate) {
  const { results, problem } = await makeCalls(
    command,
    CALLS.map(([, call]) => call),
    target,
    certificate,
  );
  for (const [index, [what, , expected, map = (each) => each]] of CALLS.entries()) {
    checkEqual(`${name}: ${what}`, results[index]?.flatMap(map) ?? problem, expected);
  }
}

/** Makes look-ups for a time. Resolves to the number of calls, and of each outcome that is a failure. */
export async function makeLoad(command, seconds, target, certificate) {
  const { results, problem } = await makeCalls(command, [{ seconds }], target, certificate);
  const { [GOOGLE]: calls = 0, ...failures } = results[0] ?? { [problem]: 1 };
  return { calls, failures };
}

async function makeCalls([program, ...first], calls, target, certificate = "") {
  const args = [...first, JSON.stringify(calls), target, PROTOS, certificate];
  const { status, stdout, stderr } = await runAsync(program, args);
  return {
    results: stdout.trim().split("\n").filter(Boolean).map(JSON.parse),
    problem: `exit ${status} ${stderr}`,
  };
}

/** Restarts the service while all clients call it. No call may fail: clients retry those that were not accepted. */
async function tryRestarts(clients, files) {
  const transport = files === undefined ? "cleartext" : "TLS";
  const PORT = String(await freePort());
  let service = await serve(files, { PORT });
  const seconds = (RESTARTS + 1) * SECONDS_PER_RESTART;
  const loads = clients.map(async ({ name, command }) => {
    const { calls, failures } = await makeLoad(command, seconds, service.target, files?.cert);
    const what = `${name}, ${transport}: of ${calls} calls during ${RESTARTS} restarts, none is lost`;
    check(what, calls > 100 && Object.keys(failures).length === 0, failures);
  });
  for (let restart = 0; restart < RESTARTS; restart++) {
    await wait((SECONDS_PER_RESTART / 2) * 1_000);
    checkEqual(`${transport}: the service has shut down under load`, await service.stop(), 0);
    service = await serve(files, { PORT });
    await wait((SECONDS_PER_RESTART / 2) * 1_000);
  }
  await Promise.all(loads);
  await service.stop();
}

/** The folder with the Go programs, which are built once. Undefined, with a message, if Go is not installed. */
export function goPrograms() {
  if (!hasGo()) {
    return undefined;
  }
  const source = join(import.meta.dirname, "go");
  const files = ["go.mod", "go.sum", "main.go"].map((name) => join(source, name));
  return prepared("go", files, (folder) => {
    const packages = { client: ".", grpcurl: "github.com/fullstorydev/grpcurl/cmd/grpcurl" };
    for (const [name, path] of Object.entries(packages)) {
      const args = ["build", "-mod=readonly", "-o", join(folder, name), path];
      mustRun("go", args, { cwd: source, seconds: 600 });
    }
  });
}
