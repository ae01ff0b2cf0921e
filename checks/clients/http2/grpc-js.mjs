// Calls the service with grpc-js. See grpc-clients.mjs for the arguments and the output.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { load as loadProto } from "@grpc/proto-loader";
import { ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { StatusSchema } from "connect-transcoding/gen/google/rpc/status_pb.js";

const [calls, target, certificate] = process.argv.slice(2);
const security =
  certificate === "" ? credentials.createInsecure() : credentials.createSsl(readFileSync(certificate));
// Node 26 rejects an IP address as the name that the client sends in the TLS handshake.
const client = new Client(target, security, { "grpc.ssl_target_name_override": "localhost" });
for (const call of JSON.parse(calls)) {
  console.log(JSON.stringify(await run(call)));
}
client.close();

async function run({ addresses, seconds, watches, timeout }) {
  if (addresses !== undefined) {
    return Promise.all(addresses.map(lookUp));
  }
  if (watches !== undefined) {
    return Promise.all(Array.from({ length: watches }, () => watch(timeout)));
  }
  return seconds === undefined ? services() : load(seconds);
}

function lookUp(ipAddress) {
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
function watch(timeout) {
  const options = timeout === undefined ? {} : { deadline: Date.now() + timeout };
  const same = (bytes) => bytes;
  const stream = client.makeServerStreamRequest(
    "/grpc.health.v1.Health/Watch",
    same,
    same,
    Buffer.alloc(0),
    options,
  );
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
async function services() {
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

/** Counts the outcomes of calls that eight workers make for a time. */
async function load(seconds) {
  const end = performance.now() + seconds * 1_000;
  const outcomes = {};
  const work = async () => {
    while (performance.now() < end) {
      const outcome = await lookUp("8.8.8.8");
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await wait(5);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return outcomes;
}
