import { randomBytes } from "node:crypto";
import { readConfig } from "./config.js";
import { loadDocumentation } from "./documentation.js";
import { type Server, startServer } from "./server/server.js";
import { loadServices } from "./services.js";

/** Milliseconds that calls under way get to finish when the service stops. */
const GRACE_PERIOD = 10_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  if (!config.ok) {
    return refuseToStart(config.failure.description);
  }
  const services = await loadServices(config.value, { now: Date.now, randomBytes });
  if (!services.ok) {
    return refuseToStart(services.failure.description);
  }
  const server = await startServer({
    ...config.value,
    services: services.value,
    documentation: loadDocumentation(),
    reportBug,
  });
  if (!server.ok) {
    return refuseToStart(`HOST and PORT: ${server.failure.description}`);
  }
  const { url } = server.value;
  const baseUrl = config.value.publicBaseUrl ?? url;
  console.log(
    `utility-tools is ready on ${url} – open ${baseUrl}/docs or try ${baseUrl}/v1/geoIp?ip_address=8.8.8.8`,
  );
  stopOnSignals(server.value);
}

function reportBug(bug: unknown, method = "the server"): void {
  console.error(`bug in ${method}:`, bug);
}

function refuseToStart(problem: string): void {
  console.error(`utility-tools cannot start: ${problem}`);
  process.exitCode = 1;
}

/** The first signal lets calls under way finish; a second one ends the process at once. */
function stopOnSignals(server: Server): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) {
      process.exit(1);
    }
    stopping = true;
    void server.stop(GRACE_PERIOD).then(() => process.exit(0));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

await main();
