import { randomAddress } from "../../bench/samples.js";
import type { Random } from "../random.js";

/** Batches of a thousand, of which every other address leads to a record that was not read before. */
const BATCHES = 400;
/** More addresses than answers are kept for. */
const SINGLE = 5000;

/**
 * Asks the service at the URL so many different things that what it keeps is full: all the growth that there is
 * afterwards is a leak.
 */
export async function fillCaches(url: string, random: Random): Promise<void> {
  const address = () => randomAddress(random);
  for (let batch = 0; batch < BATCHES; batch++) {
    const ip_addresses = Array.from({ length: 1000 }, address);
    await ask(`${url}/v1/geoIp:batch`, { method: "POST", body: JSON.stringify({ ip_addresses }) });
  }
  for (let count = 0; count < SINGLE; count++) {
    await ask(`${url}/v1/geoIp?ip_address=${address()}`);
  }
}

async function ask(url: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(url, { ...init, headers: { "content-type": "application/json" } });
  await response.arrayBuffer();
  if (response.status !== 200 && response.status !== 404) {
    throw new Error(`${url} was answered with ${response.status}`);
  }
}
