import { randomBytes } from "node:crypto";
import type { Config } from "./config/config.js";
import { helpText } from "./config/help-text.js";
import { readInvocation } from "./config/read-invocation.js";
import { loadDocumentation } from "./documentation.js";
import { type Server, startServer } from "./server/server.js";
import { loadServices } from "./services.js";

async function main(): Promise<void> {
  const invocation = readInvocation(process.env, process.argv.slice(2));
  if (!invocation.ok) {
    return refuseToStart(invocation.failure.description);
  }
  switch (invocation.value.kind) {
    case "help":
      return console.log(helpText());
    case "version":
      return console.log(`utility-tools ${loadDocumentation().info.version}`);
    case "serve":
      return serve(invocation.value.config);
  }
}

async function serve(config: Config): Promise<void> {
  const services = await loadServices(config, { now: Date.now, randomBytes });
  if (!services.ok) {
    return refuseToStart(services.failure.description);
  }
  const server = await startServer({
    ...config,
    services: services.value,
    documentation: loadDocumentation(),
    reportBug,
  });
  if (!server.ok) {
    return refuseToStart(`HOST and PORT: ${server.failure.description}`);
  }
  const { url } = server.value;
  const baseUrl = config.publicBaseUrl ?? url;
  console.log(
    `utility-tools is ready on ${url} – open ${baseUrl}/docs or try ${baseUrl}/v1/geoIp?ip_address=8.8.8.8`,
  );
  stopOnSignals(server.value, config.gracePeriod);
}

function reportBug(bug: unknown, method = "the server"): void {
  console.error(`bug in ${method}:`, bug);
}

function refuseToStart(problem: string): void {
  console.error(`utility-tools cannot start: ${problem}`);
  process.exitCode = 1;
}

/** The first signal lets calls under way finish; a second one ends the process at once. */
function stopOnSignals(server: Server, gracePeriod: number): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) {
      process.exit(1);
    }
    stopping = true;
    void server.stop(gracePeriod).then(() => process.exit(0));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

await main();
