import { startTraffic } from "../prometheus/traffic.js";

// Sends traffic to a URL with an API key, until it is killed: a process of its own, because Node reads NODE_EXTRA_CA_CERTS when it
// starts.
const [url = "", apiKey = ""] = process.argv.slice(2);
startTraffic([url], { client: apiKey, greedy: apiKey });
