import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { check, mustRun } from "../../lib/checks.mjs";
import { hasGo, prepared, pythonPrograms } from "../programs.mjs";
import { eachTransport, freePort, PROTOS, runAsync, serve } from "../service.mjs";

// Each client is a program: `PROGRAM calls TARGET PROTOS CERTIFICATE` makes calls and prints a line of JSON for each check, with
// its name, whether it holds, and what was found. `PROGRAM load TARGET PROTOS CERTIFICATE SECONDS` calls all the time, waits
// while it is not connected, and prints the number of calls and of each failure. Without TLS, the certificate is empty.

/** The number of lines that `calls` prints. */
const CHECKS = 6;
/** The number of restarts under load, and the seconds in which a restart takes place. */
const RESTARTS = 2;
const SECONDS_PER_RESTART = 6;

/** The command that runs a client; undefined if it cannot run here. */
const COMMANDS = {
  "grpc-js": () => [process.execPath, join(import.meta.dirname, "grpc-js.mjs")],
  "grpc-go": () => {
    const folder = goPrograms();
    return folder && [join(folder, "client")];
  },
  grpcio: () => python("sync"),
  "grpcio aio": () => python("aio"),
};

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
      await tryCalls(`${name}, ${transport}`, command, ["calls", target, PROTOS, files?.cert ?? ""]);
    }
  });
  for (const files of [undefined, certificate]) {
    await tryRestarts(clients, files);
  }
}

/** Runs the calls of a client, and checks each. */
export async function tryCalls(name, [program = "", ...first], args) {
  const { status, stdout, stderr } = await runAsync(program, [...first, ...args]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  for (const line of lines) {
    const { name: what, holds, found } = JSON.parse(line);
    check(`${name}: ${what}`, holds, found);
  }
  check(`${name} has made all calls`, status === 0 && lines.length === CHECKS, `exit ${status} ${stderr}`);
}

/** Restarts the service while all clients call it. No call may fail: clients retry those that were not accepted. */
async function tryRestarts(clients, files) {
  const transport = files === undefined ? "cleartext" : "TLS";
  const PORT = String(await freePort());
  const start = () => serve(files, { PORT });
  let service = await start();
  const seconds = (RESTARTS + 1) * SECONDS_PER_RESTART;
  const args = ["load", service.target, PROTOS, files?.cert ?? "", String(seconds)];
  const loads = clients.map(async ({ name, command: [program = "", ...first] }) => {
    const { status, stdout, stderr } = await runAsync(program, [...first, ...args]);
    const { calls, failures } = status === 0 ? JSON.parse(stdout) : { calls: 0, failures: stderr };
    check(
      `${name}, ${transport}: of ${calls} calls during ${RESTARTS} restarts, none is lost`,
      calls > 100 && Object.keys(failures).length === 0,
      JSON.stringify(failures),
    );
  });
  for (let restart = 0; restart < RESTARTS; restart++) {
    await wait((SECONDS_PER_RESTART / 2) * 1_000);
    const code = await service.stop();
    check(`${transport}: the service has shut down under load`, code === 0, code);
    service = await start();
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
    for (const [name, path] of Object.entries({
      client: ".",
      grpcurl: "github.com/fullstorydev/grpcurl/cmd/grpcurl",
    })) {
      mustRun("go", ["build", "-mod=readonly", "-o", join(folder, name), path], {
        cwd: source,
        seconds: 600,
      });
    }
  });
}
