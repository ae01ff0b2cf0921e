// `npm run check -- clients/http1 [NAME …]`: tries clients and proxies over the less usual parts of HTTP/1.x against the built service, in
// cleartext and over TLS. Without names, all of them. Programs that are not installed are reported and skipped.
import { runTrials, serve } from "../service.mjs";
import { lookUp, tryClient } from "./clients.mjs";
import { tryAb, tryCurl, tryWrk } from "./commands.mjs";
import { tryEnvoy, tryNginx } from "./proxies.mjs";

const CLIENTS = ["http.client", "httpx", "go", "java"];
const trials = {
  ...Object.fromEntries(CLIENTS.map((name) => [name, (context) => tryClient(name, context)])),
  curl: tryCurl,
  ab: tryAb,
  wrk: tryWrk,
  nginx: tryNginx,
  envoy: tryEnvoy,
};
await runTrials(trials, async () => {
  const service = await serve();
  const lookup = await lookUp(service.url);
  await service.stop();
  return { lookup };
});
