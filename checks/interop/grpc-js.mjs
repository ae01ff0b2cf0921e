// Makes the calls of cases.mjs with grpc-js.
import { readFileSync } from "node:fs";
import { fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";

/** Makes a call, as a stream in both directions whatever the method is. Resolves to the result. */
export async function callByGrpcJs(each, { port, registry, ca }) {
  const { path, requests, conversation, cancelAfter, timeout, metadata: given = {}, gzip } = each;
  const [service, name] = path.slice(1).split("/");
  const { input, output } = registry.getService(service).methods.find((method) => method.name === name);
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(given)) {
    metadata.set(key, key.endsWith("-bin") ? Buffer.from(value, "base64") : value);
  }
  const client = new Client(
    `127.0.0.1:${port}`,
    ca === undefined ? credentials.createInsecure() : credentials.createSsl(readFileSync(ca)),
    {
      "grpc.ssl_target_name_override": "foo.test.google.fr",
      ...(gzip && { "grpc.default_compression_algorithm": 2 }),
    },
  );
  const stream = client.makeBidiStreamRequest(
    path,
    (json) => Buffer.from(toBinary(input, fromJson(input, json))),
    (bytes) => fromBinary(output, bytes),
    metadata,
    { deadline: Date.now() + (timeout ?? 20_000) },
  );
  const found = { sizes: [] };
  stream.on("metadata", (headers) => {
    [found.header] = headers.get("x-grpc-test-echo-initial");
  });
  for (const request of conversation ? requests.slice(0, 1) : requests) {
    stream.write(request);
  }
  if (cancelAfter === 0) {
    stream.cancel();
  } else if (!conversation) {
    stream.end();
  }
  stream.on("data", ({ payload, aggregatedPayloadSize }) => {
    const count = found.sizes.push(payload?.body.length ?? 0);
    found.sum = aggregatedPayloadSize;
    if (cancelAfter === count) {
      stream.cancel();
    } else if (conversation && count < requests.length) {
      stream.write(requests[count]);
    } else if (conversation) {
      stream.end();
    }
  });
  stream.on("error", () => {});
  return new Promise((resolve) => {
    stream.on("status", ({ code, details, metadata: trailers }) => {
      client.close();
      const [trailer] = trailers.get("x-grpc-test-echo-trailing-bin");
      resolve({ ...found, code, message: details, trailer: trailer?.toString("base64") });
    });
  });
}
