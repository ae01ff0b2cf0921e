import cluster from "node:cluster";
import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { isLoopbackHost } from "./config/addresses.js";
import type { Config } from "./config/config.js";
import { readConfig } from "./config/read-config.js";
import { createServeCommand, usageProblem } from "./config/serve-command.js";
import { packageVersion } from "./documentation.js";
import type { LastingQuestions } from "./process/gather-answers.js";
import { heapGrowthFlag } from "./process/heap-growth.js";
import type { LifecyclePorts } from "./process/lifecycle.js";
import { runAlone } from "./process/run-alone.js";
import { runSupervisor, WORKER_PORT } from "./process/run-supervisor.js";
import { runWorker } from "./process/run-worker.js";
import type { StartService } from "./process/running-service.js";
import { addEnded, METRICS_QUESTION } from "./telemetry/ended-counts.js";
import { openStandardOutput } from "./telemetry/log-destination.js";
import { createLog, type Log } from "./telemetry/logger.js";
import type { MetricsSnapshot } from "./telemetry/metrics.js";

/**
 * Milliseconds beyond all that a worker may take to stop by its settings, until it is killed: more than it waits for those
 * who take its last spans and lines of the log.
 */
const STOP_MARGIN = 3_000;

/** Counters of the metrics go on where workers end. */
const LASTING_QUESTIONS: LastingQuestions = new Map([
  [
    METRICS_QUESTION,
    (ended, last) => addEnded(ended as MetricsSnapshot | undefined, last as MetricsSnapshot),
  ],
]);

/** Runs the service with the settings in the arguments, without the word `serve`, and in the environment. */
export async function runServiceCommand(args: readonly string[]): Promise<void> {
  const command = createServeCommand(packageVersion(), (flags) => {
    const config = readConfig(process.env, flags);
    return config.ok ? runService(config.value) : refuseToStart(config.failure.description);
  });
  command.configureOutput({ outputError: (text) => console.error(startProblem(usageProblem(text))) });
  // The parent gives usage its first word.
  const program = new Command("utility-tools").addCommand(command);
  await program.parseAsync([command.name(), ...args], { from: "user" });
}

/** Runs the service: here, or in workers, of which this process may be one. */
async function runService(config: Config): Promise<void> {
  const growth = heapGrowthFlag(process.execArgv, process.env.NODE_OPTIONS);
  if (growth !== undefined) {
    setFlagsFromString(growth);
  }
  const { worker } = cluster;
  const log = createLog({ level: config.logLevel, destination: openStandardOutput(), worker: worker?.id });
  const ports: LifecyclePorts = {
    exit: (code) => process.exit(code),
    reportBug: log.reportBug,
    log: (level, message) => log.logger[level](message),
  };
  if (worker !== undefined) {
    const port = Number(process.env[WORKER_PORT] ?? config.port);
    return runWorker(worker, starter({ ...config, port }, log), ports);
  }
  if (!isLoopbackHost(config.host) && config.apiKeysFile === undefined) {
    ports.log("warn", `HOST is ${config.host}, and without API_KEYS_FILE whoever reaches it may use it`);
  }
  const stopTimeout = config.stopDelay + config.gracePeriod + STOP_MARGIN;
  const started =
    config.workers > 1
      ? await runSupervisor({ ...config, stopTimeout, lasting: LASTING_QUESTIONS }, ports)
      : await runAlone(starter(config, log), ports);
  if (!started.ok) {
    refuseToStart(started.failure.description);
    // What was opened by then, such as a store that is tried again and again, would keep the process.
    return ports.exit(1);
  }
  const url = started.value;
  const baseUrl = config.publicBaseUrl ?? url;
  const ready = `utility-tools is ready on ${url} – open ${baseUrl}/ or try ${baseUrl}/v1/geoIp?ip_address=8.8.8.8`;
  // A person at a terminal gets a line to read; whatever else reads standard output gets lines of one form.
  if (process.stdout.isTTY) {
    console.log(ready);
  } else {
    log.logger.info(ready);
  }
}

/** What starts the service. A supervisor never calls it, and so loads neither code nor data of the service. */
function starter(config: Config, log: Log): StartService {
  return async (circumstances) => {
    const { serve } = await import("./serve.js");
    return serve({ config, log, circumstances });
  };
}

function refuseToStart(problem: string): void {
  console.error(startProblem(problem));
  process.exitCode = 1;
}

function startProblem(problem: string): string {
  return `utility-tools cannot start: ${problem}`;
}
