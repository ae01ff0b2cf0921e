import cluster from "node:cluster";
import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { createLog, openStandardOutput } from "connect-transcoding-operations/telemetry/log";
import { EXIT } from "../failures/exit-status.js";
import { packageVersion } from "../installed-package.js";
import { isLoopbackHost } from "./config/addresses.js";
import type { Config } from "./config/config.js";
import { readConfig } from "./config/read-config.js";
import { createServeCommand, usageProblem } from "./config/serve-command.js";
import { type ProcessOptions, runService, type StartService } from "./process/lifecycle.js";
import { runWorker, runWorkers } from "./process/workers.js";

/**
 * Milliseconds beyond `STOP_DELAY` and `GRACE_PERIOD` after which a worker that is stopping is killed: more than the export of
 * its last spans and log lines takes.
 */
const STOP_MARGIN = 3_000;

/** The exit status if valid settings do not start the service, for example because the port is taken. */
const EXIT_NOT_STARTED = 1;

/** Runs the service with the settings in the arguments, without the word `serve`, and in the environment. */
export async function runServiceCommand(args: readonly string[]): Promise<void> {
  const command = createServeCommand(packageVersion(), (flags) => {
    const config = readConfig(process.env, flags);
    if (!config.ok) {
      // A flag is invalid if the environment alone is valid.
      const status = readConfig(process.env).ok ? EXIT.usage : EXIT.config;
      return reportStartProblem(config.failure.description, status);
    }
    return runServer(config.value);
  });
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage));
  command.configureOutput({ outputError: (text) => console.error(startProblem(usageProblem(text))) });
  // The parent command adds the name of the program to the usage text.
  const program = new Command("utility-tools").addCommand(command);
  await program.parseAsync([command.name(), ...args], { from: "user" });
}

/** Runs the service in this process, which may be a worker, or starts workers that do. */
async function runServer(config: Config): Promise<void> {
  const growth = heapGrowthFlag(process.execArgv, process.env.NODE_OPTIONS);
  if (growth !== undefined) {
    setFlagsFromString(growth);
  }
  const { worker } = cluster;
  const log = createLog({ level: config.logLevel, destination: openStandardOutput(), worker: worker?.id });
  const options: ProcessOptions = {
    reportBug: log.reportBug,
    log: (level, message) => log.logger[level](message),
  };
  // The primary process of workers does not load the code and data of the service.
  const start: StartService = async () => {
    const { serve } = await import("./serve.js");
    return serve({ config, log });
  };
  if (worker !== undefined) {
    return runWorker(worker, start, options);
  }
  if (!isLoopbackHost(config.host) && config.apiKeysFile === undefined) {
    log.logger.warn(
      `HOST is ${config.host}, and API_KEYS_FILE is not set: every client that can reach the service can use it`,
    );
  }
  const started = config.workers > 1 ? await startWorkers(config, options) : await runService(start, options);
  if (!started.ok) {
    reportStartProblem(started.failure.description, EXIT_NOT_STARTED);
    // Open resources, such as a store client that keeps reconnecting, would keep the process alive.
    process.exit();
  }
  const url = started.value;
  const baseUrl = config.publicBaseUrl ?? url;
  const ready = `utility-tools is ready on ${url} – open ${baseUrl}/ or try ${baseUrl}/v1/geoIp?ip_address=8.8.8.8`;
  // A terminal gets plain text. Other readers of standard output expect every line to be JSON.
  if (process.stdout.isTTY) {
    console.log(ready);
  } else {
    log.logger.info(ready);
  }
}

async function startWorkers({ workers, stopDelay, gracePeriod }: Config, options: ProcessOptions) {
  const { serveClusterMetrics } = await import("./telemetry/cluster-metrics.js");
  serveClusterMetrics();
  return runWorkers({ workers, stopTimeout: stopDelay + gracePeriod + STOP_MARGIN }, options);
}

function reportStartProblem(problem: string, status: number): void {
  console.error(startProblem(problem));
  process.exitCode = status;
}

function startProblem(problem: string): string {
  return `utility-tools cannot start: ${problem}`;
}

/** The flags of Node that limit the size or the growth of the heap; V8 accepts `_` for `-`. */
const HEAP_FLAG = /--(?:max[-_](?:old[-_]space|heap)[-_]size|heap[-_]growing[-_]percent)/;

/**
 * Returns the flag of V8 that limits the growth of the heap between two full garbage collections to 30 %, as V8 does if
 * `--max-old-space-size` is 256. Unlike that flag, it can be set while a process runs. Returns undefined if Node's flags or
 * `NODE_OPTIONS` already limit the heap.
 */
export function heapGrowthFlag(nodeFlags: readonly string[], nodeOptions = ""): string | undefined {
  return [...nodeFlags, nodeOptions].some((flags) => HEAP_FLAG.test(flags))
    ? undefined
    : "--heap-growing-percent=30";
}
