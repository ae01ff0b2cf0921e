// `npm run check -- clients/http1 [NAME …]`: tries clients over the less usual parts of HTTP/1.x against the built service, in
// cleartext and over TLS. Without names, all of them. Programs that are not installed are reported and skipped.
import { runTrials, serve } from "../service.mjs";
import { lookUp, tryClient } from "./clients.mjs";
import { tryCurl } from "./commands.mjs";

const CLIENTS = ["http.client", "go"];
const trials = {
  ...Object.fromEntries(CLIENTS.map((name) => [name, (context) => tryClient(name, context)])),
  curl: tryCurl,
};
await runTrials(trials, async () => {
  const service = await serve();
  const lookup = await lookUp(service.url);
  await service.stop();
  return { lookup };
});
