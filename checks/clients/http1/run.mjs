// `npm run check -- clients/http1 [NAME …]`: tries clients over the less usual parts of HTTP/1.x against the built service, in
// cleartext and over TLS. Without names, all of them. Programs that are not installed are reported and skipped.
import { runTrials, serve } from "../service.mjs";
import { tryCurl } from "./curl.mjs";
import { lookUp, tryHttpClient } from "./http-client.mjs";

const trials = { "http.client": tryHttpClient, curl: tryCurl };
await runTrials(trials, async () => {
  const service = await serve();
  const lookup = await lookUp(service.url);
  await service.stop();
  return { lookup };
});
