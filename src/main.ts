import { randomBytes } from "node:crypto";
import { readConfig } from "./config.js";
import { loadDocumentation } from "./documentation.js";
import { watchFiles } from "./files/watch-files.js";
import { loadTools } from "./load-tools.js";
import type { ToolEvent } from "./rpc/tool.js";
import { type Server, startServer } from "./server/server.js";

/** Milliseconds that calls under way get to finish when the service stops. */
const GRACE_PERIOD = 10_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  if (!config.ok) {
    return refuseToStart(config.failure.description);
  }
  const tools = await loadTools(config.value, {
    now: Date.now,
    randomBytes,
    watchFiles,
    report: reportEvent,
  });
  if (!tools.ok) {
    return refuseToStart(tools.failure.description);
  }
  const server = await startServer({
    ...config.value,
    tools: tools.value,
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

function reportEvent(event: ToolEvent): void {
  if (event.kind === "data_refused") {
    const outcome = event.hasOlderData ? "goes on with its older data" : "waits for usable data";
    console.error(`${event.service} ${outcome}: ${event.description}`);
  }
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
