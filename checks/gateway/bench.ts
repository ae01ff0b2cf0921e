import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { encodeHttp1 } from "../lib/load/http1.js";
import { encodeHttp2 } from "../lib/load/http2.js";
import { createClient, load } from "../lib/load/open-loop.js";
import { GRPC_HEADERS, grpcFrame, type Workload } from "../lib/load/workload.js";
import { processorTime } from "../lib/process-state.js";
import { median } from "../lib/statistics.js";
import { APIS, PEERS, UPSTREAMS } from "./programs.js";

const text = (value: string) => ({ type: "string", default: value }) as const;
const { values } = parseArgs({ options: { rate: text("1000"), seconds: text("10"), rounds: text("3") } });
const [rate, seconds, rounds] = [values.rate, values.seconds, values.rounds].map(Number) as [
  number,
  number,
  number,
];

/** More than the entries of any cache. */
const REQUESTS = 20_000;
const NO_BODY = Buffer.alloc(0);
const names = Array.from({ length: REQUESTS }, (_, index) => `shelves/${index % 97}/items/${index}`);

const workload = (given: Partial<Workload>, authority: string): Workload => ({
  http: 1,
  grpc: false,
  method: "GET",
  authority,
  headers: [],
  requests: names.map((name, index) => ({ path: `/v1/${name}?price=${index}&tags=a&tags=b`, body: NO_BODY })),
  ...given,
});

const CASES: Readonly<Record<string, { peers: readonly string[]; workload: Partial<Workload> }>> = {
  "REST, HTTP/1.1": { peers: Object.keys(PEERS), workload: {} },
  gRPC: {
    peers: ["ours", "vanguard", "Envoy"],
    workload: {
      http: 2,
      grpc: true,
      method: "POST",
      headers: GRPC_HEADERS,
      requests: names.map((name) => ({
        path: "/mirror.v1.Mirror/GetItem",
        body: grpcFrame(Buffer.concat([Buffer.from([0x0a, name.length]), Buffer.from(name)])),
      })),
    },
  },
};

const upstream = await UPSTREAMS.Go(APIS.mirror.descriptors);
console.log("| case | program | processor time per call in µs | failed |\n|---|---|---|---|");
for (const [name, { peers, workload: given }] of Object.entries(CASES)) {
  const programs = await Promise.all(
    peers.map(async (peer) => ({
      peer,
      program: await PEERS[peer]?.(APIS.mirror, upstream.port, new Set()),
      costs: [0],
    })),
  );
  const failed = new Map<string, string>();
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const { peer, program, costs } of programs) {
      const authority = `127.0.0.1:${program?.port}`;
      const sent = workload(given, authority);
      const encoded = sent.http === 1 ? encodeHttp1(sent) : encodeHttp2(sent, false);
      const client = createClient(
        `http://${authority}`,
        encoded,
        (_, answer) => answer.status === 200 && (!sent.grpc || answer.grpcStatus === "0"),
        8,
      );
      const before = processorTime(program?.pid ?? 0);
      const result = await load({ client }, rate, () => wait(seconds * 1_000));
      costs[round] = ((processorTime(program?.pid ?? 0) - before) / result.requests) * 1e6;
      if (result.failed.length > 0) {
        failed.set(peer, `${result.failed.length}: ${result.failed[0]?.failure}`);
      }
    }
  }
  for (const { peer, program, costs } of programs) {
    console.log(`| ${name} | ${peer} | ${median(costs.slice(1)).toFixed(0)} | ${failed.get(peer) ?? 0} |`);
    await program?.stop();
  }
}
await upstream.stop();
