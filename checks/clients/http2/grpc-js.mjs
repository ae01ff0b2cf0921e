// Calls the service with grpc-js. See grpc-clients.mjs for the arguments and the output.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { load as loadProto } from "@grpc/proto-loader";
import {
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";

const LOOKUP_IP = "/utilitytools.v1.GeoIpService/LookupIp";
const WATCH = "/grpc.health.v1.Health/Watch";

const [mode, target, , certificate, seconds] = process.argv.slice(2);
const security =
  certificate === "" ? credentials.createInsecure() : credentials.createSsl(readFileSync(certificate));
// Node 26 rejects an IP address as the name that the client sends in the TLS handshake.
const client = new Client(target, security, { "grpc.ssl_target_name_override": "localhost" });
await (mode === "calls" ? calls() : load(Number(seconds) * 1_000));
client.close();

function report(name, holds, found = "") {
  console.log(JSON.stringify({ name, holds, found: String(found) }));
}

function lookUp(ipAddress, timeout = 60_000) {
  const metadata = new Metadata({ waitForReady: true });
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      LOOKUP_IP,
      (message) => Buffer.from(toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, message))),
      (bytes) => fromBinary(LookupIpResponseSchema, bytes),
      { ipAddress },
      metadata,
      { deadline: Date.now() + timeout },
      (error, response) => (error === null ? resolve(response) : reject(error)),
    );
  });
}

/** Resolves to the number of messages of a stream and the status that ends it. With no timeout, it is cancelled. */
function watch(timeout) {
  const options = timeout === undefined ? {} : { deadline: Date.now() + timeout };
  const same = (bytes) => bytes;
  const stream = client.makeServerStreamRequest(WATCH, same, same, Buffer.alloc(0), options);
  let messages = 0;
  return new Promise((resolve) => {
    stream.on("data", () => {
      messages += 1;
      if (timeout === undefined) {
        stream.cancel();
      }
    });
    stream.on("error", ({ code }) => resolve(`${messages} ${status[code]}`));
    stream.on("end", () => resolve(`${messages} end`));
  });
}

async function calls() {
  const right = await lookUp("8.8.8.8");
  report("unary call", right.metadata?.asn === 15169, right.metadata?.asn);

  const error = await lookUp("nonsense").catch((thrown) => thrown);
  const [details] = error.metadata?.get("grpc-status-details-bin") ?? [];
  const hasReason = details?.includes("INVALID_PARAMETERS") ?? false;
  report("error with details", error.code === status.INVALID_ARGUMENT && hasReason, error);

  const deadline = await watch(500);
  report("deadline of a stream", deadline === "1 DEADLINE_EXCEEDED", deadline);

  const ends = await Promise.all(Array.from({ length: 100 }, () => watch()));
  const after = await lookUp("8.8.8.8");
  report(
    "cancellation of 100 streams, then a call",
    ends.every((end) => end === "1 CANCELLED") && after.metadata?.asn === 15169,
    [...new Set(ends)],
  );

  const addresses = Array.from(
    { length: 1_000 },
    (_, number) => `8.8.${Math.floor(number / 250)}.${(number % 250) + 1}`,
  );
  const found = await Promise.all(addresses.map((address) => lookUp(address)));
  const wrong = addresses.filter((address, index) => found[index]?.ip !== address);
  report("1,000 concurrent calls", wrong.length === 0, wrong);

  report("reflection", (await services()).includes("utilitytools.v1.GeoIpService"));
}

/** Lists the services by reflection, whose stream stays open in both directions until the response. */
async function services() {
  const proto = await loadProto("grpc/reflection/v1/reflection.proto", {
    includeDirs: [`${import.meta.dirname}/../../../node_modules/@grpc/reflection/build/proto`],
  });
  const { ServerReflectionInfo: method } = proto["grpc.reflection.v1.ServerReflection"];
  const stream = client.makeBidiStreamRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    { deadline: Date.now() + 30_000 },
  );
  stream.write({ listServices: "" });
  const [response] = await once(stream, "data");
  stream.end();
  return (response?.listServicesResponse?.service ?? []).map(({ name }) => name);
}

async function load(duration) {
  const end = performance.now() + duration;
  const failures = {};
  let calls = 0;
  async function work() {
    while (performance.now() < end) {
      const failure = await lookUp("8.8.8.8", 20_000).then(
        ({ metadata }) => (metadata?.asn === 15169 ? undefined : "wrong"),
        ({ message }) => message,
      );
      calls += 1;
      if (failure !== undefined) {
        failures[failure] = (failures[failure] ?? 0) + 1;
      }
      await wait(5);
    }
  }
  await Promise.all(Array.from({ length: 8 }, work));
  console.log(JSON.stringify({ calls, failures }));
}
