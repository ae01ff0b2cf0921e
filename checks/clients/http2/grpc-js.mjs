// Calls of the service with grpc-js. The outcome of a call is a text: what matters of the response, or the code of the error.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { load as loadProto } from "@grpc/proto-loader";
import { ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { StatusSchema } from "connect-transcoding/gen/google/rpc/status_pb.js";

/** Opens a client of a host and port; over TLS if there is a file with a certificate. */
export function openClient(target, certificate) {
  const security = certificate
    ? credentials.createSsl(readFileSync(certificate))
    : credentials.createInsecure();
  // Node 26 rejects an IP address as the name that the client sends in the TLS handshake.
  return new Client(target, security, { "grpc.ssl_target_name_override": "localhost" });
}

/** Resolves to the address and the number of its autonomous system, or to the code and the reason of the error. */
export function lookUp(client, ipAddress) {
  const { input, output } = GeoIpService.method.lookupIp;
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      "/utilitytools.v1.GeoIpService/LookupIp",
      (message) => Buffer.from(toBinary(input, message)),
      (bytes) => fromBinary(output, bytes),
      create(input, { ipAddress }),
      new Metadata({ waitForReady: true }),
      { deadline: Date.now() + 60_000 },
      (error, response) => resolve(error ? describe(error) : `${response.ip} ${response.metadata?.asn}`),
    );
  });
}

/** The code, and the reason in the details. */
function describe({ code, metadata, message }) {
  const [bytes] = metadata.get("grpc-status-details-bin");
  const { details } = bytes === undefined ? { details: [] } : fromBinary(StatusSchema, bytes);
  const info = details.find(({ typeUrl }) => typeUrl.endsWith(`/${ErrorInfoSchema.typeName}`));
  return `${status[code]} ${info === undefined ? message : fromBinary(ErrorInfoSchema, info.value).reason}`;
}

/** Resolves to the messages of a stream and the status that ends it. Without a timeout, it is cancelled after the first one. */
export function watch(client, timeout) {
  const options = { deadline: Date.now() + (timeout ?? 60_000) };
  const same = (bytes) => bytes;
  const empty = Buffer.alloc(0);
  const stream = client.makeServerStreamRequest("/grpc.health.v1.Health/Watch", same, same, empty, options);
  const ends = [];
  return new Promise((resolve) => {
    stream.on("data", (bytes) => {
      // Field 1 is the status.
      ends.push(bytes.equals(Buffer.from([8, 1])) ? "SERVING" : bytes.toString("hex"));
      if (timeout === undefined) {
        stream.cancel();
      }
    });
    stream.on("error", ({ code }) => resolve([...ends, status[code]].join(" ")));
    stream.on("end", () => resolve([...ends, "end"].join(" ")));
  });
}

/** Lists the services by reflection, whose stream stays open in both directions until the response. */
export async function listServices(client) {
  const proto = await loadProto("grpc/reflection/v1/reflection.proto", {
    includeDirs: [`${import.meta.dirname}/../../../node_modules/@grpc/reflection/build/proto`],
  });
  const { path, requestSerialize, responseDeserialize } =
    proto["grpc.reflection.v1.ServerReflection"].ServerReflectionInfo;
  const options = { deadline: Date.now() + 30_000 };
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, options);
  stream.write({ listServices: "" });
  const [response] = await once(stream, "data");
  stream.end();
  return response.listServicesResponse.service.map(({ name }) => name);
}

/** Counts the outcomes of look-ups that eight workers make for some seconds. They wait while the client is not connected. */
export async function countOutcomes(client, seconds) {
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
