import { Agent } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { parseArgs } from "node:util";
import { createRandom } from "../fuzz/random.js";
import { grpcFrame } from "./grpc-request.js";
import { askHttp } from "./http-request.js";
import { type MixedRequest, mixedRequest } from "./mixed-requests.js";
import { OURS, startProcess } from "./server-process.js";
import { slope } from "./statistics.js";

// Whether the memory of the service keeps growing under requests of every kind: `npm run bench:memory -- --count 100000`.

const { values } = parseArgs({ options: { count: { type: "string", default: "1000000" } } });
const count = Number(values.count);

/** Requests under way at once. */
const WORKERS = 32;

/** Requests from one look at the memory to the next, of twenty looks or more. */
const INTERVAL = Math.min(50_000, Math.ceil(count / 20));

async function main(): Promise<void> {
  const server = await startProcess(OURS);
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  const session = connect(server.url);
  const random = createRandom(1);
  const surprises = new Map<string, number>();
  const samples: [requests: number, mebibytes: number][] = [[0, server.residentMemory()]];
  let sent = 0;
  let answered = 0;

  const work = async (): Promise<void> => {
    while (sent < count) {
      sent++;
      const request = mixedRequest(random);
      const status =
        request.protocol === "http"
          ? (await askHttp(server.url, request, agent)).status
          : await grpcStatus(session, request);
      if (!request.statuses.includes(status)) {
        const surprise = `${status} for ${request.path.split("?", 1)[0]}`;
        surprises.set(surprise, (surprises.get(surprise) ?? 0) + 1);
      }
      answered++;
      if (answered % INTERVAL === 0) {
        samples.push([answered, server.residentMemory()]);
        console.log(sampleLine(samples.at(-1)));
      }
    }
  };

  console.log(sampleLine(samples[0]));
  try {
    await Promise.all(Array.from({ length: WORKERS }, work));
  } finally {
    session.close();
    agent.destroy();
    await server.stop();
  }
  const lastHalf = samples.filter(([requests]) => requests * 2 >= count);
  console.log(`most: ${Math.max(...samples.map(([, mebibytes]) => mebibytes)).toFixed(0)} MiB`);
  console.log(
    `over the last half it grows by ${(slope(lastHalf) * 1e5).toFixed(2)} MiB for 100,000 requests`,
  );
  for (const [surprise, times] of surprises) {
    console.error(`unexpected, ${times} times: status ${surprise}`);
    process.exitCode = 1;
  }
}

function sampleLine([requests, mebibytes] = [0, 0]): string {
  return `${requests.toLocaleString("en").padStart(9)} requests  ${mebibytes.toFixed(0).padStart(5)} MiB`;
}

type GrpcRequest = Extract<MixedRequest, { protocol: "grpc" }>;

/** Makes a call; resolves to its status, which is in the one header block where there is no message. */
function grpcStatus(session: ClientHttp2Session, { host, path, message }: GrpcRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      ":authority": host,
      "content-type": "application/grpc",
      te: "trailers",
    });
    let status = Number.NaN;
    const note = (headers: { "grpc-status"?: unknown }) => {
      status = Number(headers["grpc-status"] ?? status);
    };
    stream.on("response", note);
    stream.on("trailers", note);
    stream.on("error", reject);
    stream.on("close", () => resolve(status));
    stream.resume();
    stream.end(grpcFrame(message));
  });
}

await main();
