import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../../test/support/ports.ts";
import { check, checkEqual } from "../../lib/checks.mjs";
import { eachTransport, serve } from "./service.mjs";

// The client is a program: `grpc-js.mjs CALLS TARGET CERTIFICATE` makes the calls of a JSON array, one entry after the other, and prints
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
/** The milliseconds of load before a restart and after it. */
const LOAD_TIME = 3_000;

const PROGRAM = join(import.meta.dirname, "grpc-js.mjs");

/** Tries grpc-js with a few calls of each kind, and then while the service restarts. */
export async function tryGrpcJs(certificate) {
  await eachTransport(certificate, async (transport, { target }, files) => {
    const { results, problem } = await makeCalls(
      CALLS.map(([, call]) => call),
      target,
      files?.cert,
    );
    for (const [index, [what, , expected, map = (each) => each]] of CALLS.entries()) {
      checkEqual(`grpc-js, ${transport}: ${what}`, results[index]?.flatMap(map) ?? problem, expected);
    }
  });
  for (const files of [undefined, certificate]) {
    await tryRestarts(files);
  }
}

async function makeCalls(calls, target, certificate = "") {
  const client = spawn(process.execPath, [PROGRAM, JSON.stringify(calls), target, certificate], {
    timeout: 120_000,
  });
  const [stdout, problem] = await Promise.all([text(client.stdout), text(client.stderr)]);
  return { results: stdout.trim().split("\n").filter(Boolean).map(JSON.parse), problem };
}

/** Restarts the service while the client calls it. No call may fail: the client retries those that were not accepted. */
async function tryRestarts(files) {
  const transport = files === undefined ? "cleartext" : "TLS";
  const PORT = String(await freePort());
  let service = await serve(files, { PORT });
  const load = makeCalls([{ seconds: 12 }], service.target, files?.cert);
  await wait(LOAD_TIME);
  checkEqual(`${transport}: the service has shut down under load`, await service.stop(), 0);
  service = await serve(files, { PORT });
  await wait(LOAD_TIME);
  const { results, problem } = await load;
  const { [GOOGLE]: calls = 0, ...failures } = results[0] ?? { [problem]: 1 };
  const what = `grpc-js, ${transport}: of ${calls} calls during a restart, none is lost`;
  check(what, calls > 100 && Object.keys(failures).length === 0, failures);
  await service.stop();
}
