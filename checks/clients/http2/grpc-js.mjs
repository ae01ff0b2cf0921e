import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import { freePort } from "connect-transcoding-testing/ports.js";
import { serve } from "./service.mjs";

const GOOGLE = "8.8.8.8 15169";
/** The milliseconds of load before a restart and after it. */
const LOAD_TIME = 3_000;

/**
 * Restarts the service while grpc-js calls it, in cleartext and over TLS. No call may fail: the client retries those that were not accepted.
 * The suite of interop tries each kind of call with grpc-js.
 */
export async function tryGrpcJs(certificate) {
  for (const [transport, files] of Object.entries({ cleartext: undefined, TLS: certificate })) {
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
}

/** Opens a client of a host and port; over TLS if there is a file with a certificate. */
function openClient(target, certificate) {
  const security = certificate
    ? credentials.createSsl(readFileSync(certificate))
    : credentials.createInsecure();
  // Node 26 rejects an IP address as the name that the client sends in the TLS handshake.
  return new Client(target, security, { "grpc.ssl_target_name_override": "localhost" });
}

/** Counts the outcomes of look-ups that eight workers make for some seconds. They wait while the client is not connected. */
async function countOutcomes(client, seconds) {
  const end = performance.now() + seconds * 1_000;
  const outcomes = {};
  const work = async () => {
    while (performance.now() < end) {
      const outcome = await lookUp(client, "8.8.8.8");
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await wait(5);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return outcomes;
}

/** Resolves to the address and the number of its autonomous system, or to the error. */
function lookUp(client, ipAddress) {
  const { input, output } = GeoIpService.method.lookupIp;
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      "/utilitytools.v1.GeoIpService/LookupIp",
      (message) => Buffer.from(toBinary(input, message)),
      (bytes) => fromBinary(output, bytes),
      create(input, { ipAddress }),
      new Metadata({ waitForReady: true }),
      { deadline: Date.now() + 60_000 },
      (error, response) =>
        resolve(
          error ? `${status[error.code]} ${error.message}` : `${response.ip} ${response.metadata?.asn}`,
        ),
    );
  });
}
