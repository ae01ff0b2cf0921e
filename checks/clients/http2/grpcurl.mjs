import { join } from "node:path";
import { check } from "../../lib/checks.mjs";
import { eachTransport, runAsync } from "../service.mjs";
import { goPrograms } from "./grpc-clients.mjs";

const LOOKUP_IP = "utilitytools.v1.GeoIpService/LookupIp";

/** Tries grpcurl, which gets all descriptors by reflection. */
export async function tryGrpcurl({ certificate }) {
  const folder = goPrograms();
  if (folder === undefined) {
    return;
  }
  await eachTransport(certificate, async (transport, { target }, files) => {
    const security = files === undefined ? ["-plaintext"] : ["-cacert", files.cert];
    const call = (...args) => runAsync(join(folder, "grpcurl"), [...security, ...args]);

    const list = await call(target, "list");
    check(`grpcurl, ${transport}: list`, list.stdout.includes("utilitytools.v1.OtpService\n"), list.stderr);

    const description = await call(target, "describe", "utilitytools.v1.LookupIpRequest");
    check(
      `grpcurl, ${transport}: describe`,
      description.stdout.includes("string ip_address"),
      description.stdout,
    );

    // This version of grpcurl has the types of details itself; older ones and other clients get them by reflection.
    const detail = await call(target, "describe", "google.rpc.BadRequest");
    check(
      `grpcurl, ${transport}: describe a detail of errors`,
      detail.stdout.includes("FieldViolation field_violations"),
      detail.stderr,
    );

    const right = await call("-d", '{"ip_address":"8.8.8.8"}', target, LOOKUP_IP);
    check(`grpcurl, ${transport}: unary call`, right.stdout.includes('"Google LLC"'), right.stderr);

    const error = await call("-d", '{"ip_address":"nonsense"}', target, LOOKUP_IP);
    const printed = ["InvalidArgument", '"field": "ip_address"', '"reason": "INVALID_PARAMETERS"'];
    check(
      `grpcurl, ${transport}: error with details`,
      printed.every((text) => error.stderr.includes(text)),
      error.stderr,
    );

    const watch = await call("-max-time", "0.5", target, "grpc.health.v1.Health/Watch");
    check(
      `grpcurl, ${transport}: deadline of a stream`,
      watch.stdout.includes('"SERVING"') && watch.stderr.includes("DeadlineExceeded"),
      watch.stderr,
    );
  });
}
