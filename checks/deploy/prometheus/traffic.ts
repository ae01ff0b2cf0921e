import { setTimeout as wait } from "node:timers/promises";
import { createUtilityToolsClient } from "@utility-tools/client";

/** Traffic that runs until it is stopped. */
export interface Traffic {
  stop(): Promise<void>;
}

/** The API keys of two clients. */
interface Keys {
  readonly client: string;
  /** Sends batches that exceed the rate limit. */
  readonly greedy: string;
}

/**
 * Sends requests to each server in every protocol, about five times a second: valid and invalid ones, health checks, and batches
 * that exceed the rate limit.
 */
export function startTraffic(urls: readonly string[], keys: Keys): Traffic {
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
      get(`${url}/v1/geoIp?ip_address=1.1.1.1`, apiKey),
      get(`${url}/v1/countries?country=FR`, apiKey),
      get(`${url}/v1/sanitizeEmail`, apiKey),
      get(`${url}/nowhere`, apiKey),
      get(`${url}/readyz`, apiKey),
    ]);
    await wait(200);
  }
  for (const client of [greedyClient, ...clients]) {
    client.close();
  }
}

async function get(url: string, apiKey: string): Promise<void> {
  const response = await fetch(url, { headers: { "x-api-key": apiKey } });
  await response.arrayBuffer();
}
