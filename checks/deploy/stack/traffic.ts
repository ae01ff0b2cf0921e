import { setTimeout as wait } from "node:timers/promises";
import { createUtilityToolsClient } from "@utility-tools/client";

/** The API keys of two clients. */
interface Keys {
  readonly client: string;
  /** Sends batches that exceed the rate limit. */
  readonly greedy: string;
}

/**
 * Sends requests to each server in every protocol, about five times a second until `stop` is called: valid and invalid ones, health
 * checks, and batches that exceed the rate limit.
 */
export function startTraffic(urls: readonly string[], keys: Keys): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ended = Promise.all(urls.map((url) => send(url, keys, stopping.signal)));
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

/** A batch counts as often as it has items. */
const BATCH = { emails: Array<string>(1_000).fill("a@example.com") };
const PATHS = [
  "/v1/geoIp?ip_address=1.1.1.1",
  "/v1/countries?country=FR",
  "/v1/sanitizeEmail",
  "/nowhere",
  "/readyz",
];

async function send(url: string, { client: apiKey, greedy }: Keys, signal: AbortSignal): Promise<void> {
  const greedyClient = createUtilityToolsClient(url, { apiKey: greedy, retries: { count: 0 } });
  const clients = (["grpc", "grpc-web", "connect"] as const).map((protocol) =>
    createUtilityToolsClient(url, { protocol, apiKey, retries: { count: 0 } }),
  );
  while (!signal.aborted) {
    // Failures are expected: the metrics show them.
    await Promise.allSettled([
      ...clients.flatMap((client) => [
        client.geoIp.lookupIp({ ipAddress: "8.8.8.8" }),
        client.geoIp.lookupIp({ ipAddress: "nowhere" }),
      ]),
      greedyClient.email.batchSanitizeEmails(BATCH),
      ...PATHS.map(async (path) => {
        const response = await fetch(`${url}${path}`, { headers: { "x-api-key": apiKey } });
        await response.arrayBuffer();
      }),
    ]);
    await wait(200);
  }
  for (const client of [greedyClient, ...clients]) {
    client.close();
  }
}
