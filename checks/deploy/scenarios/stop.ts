import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeCertificate } from "../../lib/certificate.mjs";
import { type LoadResult, load } from "../../lib/load/open-loop.js";
import { startService } from "../../lib/service.js";
import { createClients, type Pace, type Trial } from "./scenario.js";

/** Seconds for each stop. */
const ROUND = 2;
/** The time before a stop, in milliseconds. */
const BEFORE = 1_000;

/** Stops the service without a proxy, in cleartext. */
export function stopService(pace: Pace): Promise<Trial> {
  return stopRepeatedly(pace, {}, undefined);
}

/** Stops the service without a proxy, over TLS. */
export async function stopServiceWithTls(pace: Pace): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-stop-"));
  const { cert, key } = makeCertificate(folder);
  const environment = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key };
  const trial = await stopRepeatedly(pace, environment, readFileSync(cert, "utf8"));
  rmSync(folder, { recursive: true });
  return trial;
}

async function stopRepeatedly(
  { seconds, rate }: Pace,
  environment: Readonly<Record<string, string>>,
  ca: string | undefined,
): Promise<Trial> {
  const results: LoadResult[] = [];
  let slowest = 0;
  for (let stops = 0; stops < Math.max(1, Math.round(seconds / ROUND)); stops++) {
    const service = await startService({ environment, isQuiet: true });
    const options = { http10: true, ...(ca === undefined ? {} : { ca }) };
    results.push(
      await load(createClients(service.url, options), rate, async () => {
        await wait(BEFORE);
        const start = performance.now();
        const how = await service.end();
        slowest = Math.max(slowest, performance.now() - start);
        if (how !== 0) {
          throw new Error(`SIGTERM ended the service with ${how}`);
        }
      }),
    );
  }
  const sum = (field: (result: LoadResult) => number) =>
    results.reduce((total, result) => total + field(result), 0);
  const greatest = (field: (result: LoadResult) => number) => Math.max(...results.map(field));
  const failed = results.flatMap((result) => result.failed);
  return {
    requests: sum(({ requests }) => requests),
    rate: sum((result) => result.rate) / results.length,
    retried: sum(({ retried }) => retried),
    // A request without a connection has not been sent. This includes those that the service refused, and that were sent again.
    failed: failed.filter(({ failure }) => !failure?.includes("ECONNREFUSED")),
    expected: [],
    p99: greatest(({ p99 }) => p99),
    worst: greatest(({ worst }) => worst),
    done: `${results.length} × SIGTERM, exit after at most ${slowest.toFixed(0)} ms`,
  };
}
