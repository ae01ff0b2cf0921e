import { load } from "../../lib/load/open-loop.js";
import { childrenOf, peerPortsOf } from "../../lib/process-state.js";
import { startService } from "../../lib/service.js";
import { createClients, type Pace, repeat, type Trial } from "./scenario.js";

/** The line that a worker logs when it accepts requests. */
const READY = /worker \d+ is ready/g;

/** Kills one of two workers after the other. */
export async function killWorkers({ seconds, rate }: Pace): Promise<Trial> {
  const service = await startService({ environment: { WORKERS: "2" } });
  await service.says(READY, 2);
  // Requests in progress in a killed worker may be lost. They are not retried, so that they are counted.
  const strict = { retries: false };
  const killed: { readonly at: number; readonly ports: ReadonlySet<number> }[] = [];
  const result = await load(createClients(service.url, strict), rate, async () => {
    await repeat(
      seconds,
      async () => {
        const workers = childrenOf(service.pid);
        const victim = workers[killed.length % workers.length] ?? 0;
        const restarted = service.says(READY, service.count(READY) + 1);
        const ports = peerPortsOf(victim);
        killed.push({ at: performance.now(), ports });
        process.kill(victim, "SIGKILL");
        await restarted;
      },
      700,
    );
  });
  await service.end();
  // Requests on a killed worker's connection that were in progress, or sent before the client noticed.
  const expected = result.failed.filter(
    ({ localPort, failedAt }) =>
      localPort !== undefined && killed.some(({ at, ports }) => ports.has(localPort) && failedAt >= at),
  );
  const connections = killed.map(({ ports }) => ports.size).join("+");
  return { ...result, done: `${killed.length} × SIGKILL, of ${connections} connections`, expected };
}
