import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Concurrency, createLoad } from "connect-transcoding-testing/load/closed-loop.js";
import { encodeHttp1 } from "connect-transcoding-testing/load/http1.js";
import { encodeHttp2 } from "connect-transcoding-testing/load/http2.js";
import { createClient, load } from "connect-transcoding-testing/load/open-loop.js";
import { GRPC_HEADERS, grpcFrame, type Workload } from "connect-transcoding-testing/load/workload.js";
import { processorTime } from "connect-transcoding-testing/processes/process-state.js";
import { MIRROR, PEERS, UPSTREAMS } from "./programs.js";

const text = (value: string) => ({ type: "string", default: value }) as const;
const { values } = parseArgs({
  options: { rates: text("400,2000,max"), seconds: text("4"), rounds: text("3") },
});
const rates = values.rates.split(",");
const [seconds, rounds] = [values.seconds, values.rounds].map(Number) as [number, number];

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

/** How many requests are in progress at the highest rate. */
const CONCURRENCY: Readonly<Record<1 | 2, Concurrency>> = {
  1: { connections: 32, streams: 1 },
  2: { connections: 4, streams: 16 },
};

/** Sends requests at a constant rate, or at the highest one, and counts them. */
async function send(sent: Workload, rate: string): Promise<{ requests: number; failed: number }> {
  const url = `http://${sent.authority}`;
  if (rate === "max") {
    const duration = { seconds, first: 0 };
    const { requests, errors } = await createLoad(url, sent, CONCURRENCY[sent.http], duration);
    return { requests, failed: errors };
  }
  const encoded = sent.http === 1 ? encodeHttp1(sent) : encodeHttp2(sent, false);
  const client = createClient(
    url,
    encoded,
    (_, answer) => answer.status === 200 && (!sent.grpc || answer.grpcStatus === "0"),
    8,
  );
  const { requests, failed } = await load({ client }, Number(rate), () => wait(seconds * 1_000));
  return { requests, failed: failed.length };
}

const upstream = await UPSTREAMS.Go(MIRROR.descriptors);
console.log(`| case | program | ${rates.map((rate) => `µs at ${rate}/s`).join(" | ")} | failed |`);
console.log(`|---|---|${rates.map(() => "---:|").join("")}---:|`);
for (const [name, { peers, workload: given }] of Object.entries(CASES)) {
  const programs = await Promise.all(
    peers.map(async (peer) => ({
      peer,
      program: await PEERS[peer]?.(MIRROR, upstream.port),
      // Other work of the machine makes calls more expensive, never cheaper.
      least: rates.map(() => Number.POSITIVE_INFINITY),
      failed: 0,
    })),
  );
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, rate] of rates.entries()) {
      for (const each of programs) {
        const { pid = 0, port } = each.program ?? {};
        const before = processorTime(pid);
        const { requests, failed } = await send(workload(given, `127.0.0.1:${port}`), rate);
        const cost = ((processorTime(pid) - before) / requests) * 1e6;
        each.failed += failed;
        each.least[index] = round === 0 ? Number.POSITIVE_INFINITY : Math.min(each.least[index] ?? 0, cost);
      }
    }
  }
  for (const { peer, program, least, failed } of programs) {
    console.log(`| ${name} | ${peer} | ${least.map((cost) => cost.toFixed(0)).join(" | ")} | ${failed} |`);
    await program?.stop();
  }
}
await upstream.stop();
