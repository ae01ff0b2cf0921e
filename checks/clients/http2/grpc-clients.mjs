import { setTimeout as wait } from "node:timers/promises";
import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import { freePort } from "connect-transcoding-testing/ports.js";
import { countOutcomes, listServices, lookUp, openClient, watch } from "./grpc-js.mjs";
import { eachTransport, serve } from "./service.mjs";

const ADDRESSES = Array.from({ length: 1_000 }, (_, n) => `8.8.${Math.floor(n / 250)}.${(n % 250) + 1}`);
const GOOGLE = "8.8.8.8 15169";
const SERVICE = "utilitytools.v1.GeoIpService";

const hundredTimes = (act) => Promise.all(Array.from({ length: 100 }, act));
const addressOf = (outcome) => outcome.split(" ")[0];

/** What is tried, the calls, and what they must resolve to. */
const CALLS = [
  ["unary call", (client) => lookUp(client, "8.8.8.8"), GOOGLE],
  ["error with details", (client) => lookUp(client, "nonsense"), "INVALID_ARGUMENT INVALID_PARAMETERS"],
  ["deadline of a stream", (client) => watch(client, 500), "SERVING DEADLINE_EXCEEDED"],
  [
    "cancellation of 100 streams",
    (client) => hundredTimes(() => watch(client)),
    Array(100).fill("SERVING CANCELLED"),
  ],
  ["a call after that", (client) => lookUp(client, "8.8.8.8"), GOOGLE],
  [
    "1,000 concurrent calls",
    (client) => Promise.all(ADDRESSES.map((address) => lookUp(client, address).then(addressOf))),
    ADDRESSES,
  ],
  ["reflection", async (client) => (await listServices(client)).find((name) => name === SERVICE), SERVICE],
];
/** The milliseconds of load before a restart and after it. */
const LOAD_TIME = 3_000;

/** Tries grpc-js with a few calls of each kind, and then while the service restarts. */
export async function tryGrpcJs(certificate) {
  await eachTransport(certificate, async (transport, { target }, files) => {
    const client = openClient(target, files?.cert);
    for (const [what, call, expected] of CALLS) {
      checkEqual(`grpc-js, ${transport}: ${what}`, await call(client).catch(String), expected);
    }
    client.close();
  });
  for (const files of [undefined, certificate]) {
    await tryRestarts(files);
  }
}

/** Restarts the service while the client calls it. No call may fail: the client retries those that were not accepted. */
async function tryRestarts(files) {
  const transport = files === undefined ? "cleartext" : "TLS";
  const PORT = String(await freePort());
  let service = await serve(files, { PORT });
  const client = openClient(service.target, files?.cert);
  const load = countOutcomes(client, 12);
  await wait(LOAD_TIME);
  checkEqual(`${transport}: the service has shut down under load`, await service.stop(), 0);
  service = await serve(files, { PORT });
  await wait(LOAD_TIME);
  const { [GOOGLE]: calls = 0, ...failures } = await load;
  client.close();
  const what = `grpc-js, ${transport}: of ${calls} calls during a restart, none is lost`;
  check(what, calls > 100 && Object.keys(failures).length === 0, failures);
  await service.stop();
}
