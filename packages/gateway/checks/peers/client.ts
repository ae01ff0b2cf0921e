import { readFileSync } from "node:fs";
import type { JsonObject } from "@bufbuild/protobuf";
import { createRestTransport } from "connect-transcoding/client";
import { checkEqual, conclude } from "connect-transcoding-testing/checks.mjs";
import { callAll, expectedResults } from "../gateway/calls.js";
import { APIS, PEERS, UPSTREAMS } from "../gateway/programs.js";

// One client program over the REST transport, against our gateway and its peers.

const REST = { requestStreams: false, trailers: false };

const NO_STREAMS = [{ code: 2, message: "HTTP status 415", details: [] }];
/** What a program answers otherwise, and why. */
const KNOWN: Readonly<Record<string, JsonObject>> = {
  // It has streams of google.api.HttpBody alone.
  vanguard: { list: NO_STREAMS, failedList: NO_STREAMS },
  // It ends the array as if the stream were complete.
  Envoy: { failedList: [{ name: "shelves/1" }, { name: "shelves/1" }] },
};

const { mirror } = APIS;
const upstream = await UPSTREAMS.Go(mirror.descriptors);
for (const [peer, start] of Object.entries(PEERS)) {
  const program = await start(mirror, upstream.port, new Set());
  const transport = createRestTransport({ baseUrl: `http://127.0.0.1:${program.port}` });
  const found = await callAll(transport, readFileSync(mirror.descriptors), REST);
  for (const [name, expected] of Object.entries({ ...expectedResults(REST), ...KNOWN[peer] })) {
    checkEqual(`${peer}: ${name}`, found[name], expected);
  }
  await program.stop();
}
await upstream.stop();
conclude();
