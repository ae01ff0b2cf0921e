import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { createLog, type Log, openStandardOutput } from "connect-transcoding-operations/telemetry/log";
import { spanVariableWarnings } from "connect-transcoding-operations/telemetry/span-variables";
import { allSettings, changedSettings } from "../config/changed-settings.js";
import type { Config } from "../config/config.js";
import { readConfig } from "../config/read-config.js";
import { createServeCommand, usageProblem } from "../config/serve-command.js";
import { maxOpenFiles, settingWarnings } from "../config/setting-warnings.js";
import { unknownVariables } from "../config/unknown-variables.js";
import { EXIT } from "../failures/exit-status.js";
import { packageVersion } from "../installed-package.js";
import type { DataSource } from "../tools/tool.js";
import { banner } from "./banner.js";
import { checkFiles } from "./check-files.js";
import { type ProcessOptions, runService, type StartService, stopWithParent } from "./process/lifecycle.js";
import { runWorker, runWorkers } from "./process/workers.js";
import { isLogText, reportStartProblem } from "./start-report.js";

/**
 * Milliseconds beyond `STOP_DELAY` and `GRACE_PERIOD` after which a worker that is stopping is killed: more than the export of
 * its last spans and log lines takes.
 */
const STOP_MARGIN = 3_000;

/** The exit status if valid settings do not start the service, for example because the port is taken. */
const EXIT_NOT_STARTED = 1;

/** Runs the service with the settings in the arguments, without the word `serve`, and in the environment. */
export async function runServiceCommand(args: readonly string[]): Promise<void> {
  const command = createServeCommand(packageVersion(), async (flags, isCheck) => {
    const { env } = process;
    const config = readConfig(env, flags);
    const unknown = unknownVariables(env);
    const invalid = [...unknown.misspelled, ...(config.ok ? [] : [config.failure.description])];
    if (!config.ok || invalid.length > 0) {
      // A flag is invalid if the environment alone is valid.
      const isFlag = unknown.misspelled.length === 0 && readConfig(env).ok;
      return isFlag ? command.error(invalid.join("; ")) : reportProblems(invalid, EXIT.config);
    }
    const { otlpEndpoint, otlpTracesEndpoint } = config.value;
    const warnings = [
      ...unknown.ignored,
      ...spanVariableWarnings(env, (otlpTracesEndpoint ?? otlpEndpoint) !== undefined),
      ...settingWarnings(config.value, availableParallelism(), maxOpenFiles()),
    ];
    if (cluster.worker !== undefined) {
      // The primary process has checked the rest.
      return runServer(config.value, warnings);
    }
    const files = await checkFiles(config.value);
    if (files.problems.length > 0) {
      return reportProblems(files.problems, EXIT.config);
    }
    warnings.push(...files.warnings);
    return isCheck ? runCheck(config.value, warnings) : runServer(config.value, warnings);
  });
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage));
  // People type arguments, also where the log is JSON.
  command.configureOutput({
    outputError: (text) => console.error(`utility-tools serve: ${usageProblem(text, command.options)}`),
  });
  command.showHelpAfterError("utility-tools serve --help shows the usage");
  // The parent command adds the name of the program to the usage text.
  const program = new Command("utility-tools").addCommand(command);
  await program.parseAsync([command.name(), ...args], { from: "user" });
}

function reportProblems(problems: readonly string[], status: number): void {
  reportStartProblem(problems.join("; "));
  process.exitCode = status;
}

/** Runs `serve --check`: prints what is usable, and warnings and problems to standard error. */
async function runCheck(config: Config, warnings: readonly string[]): Promise<void> {
  const { checkUse } = await import("./check-command.js");
  const { facts, problems, status, warnings: more } = await checkUse(config);
  for (const warning of [...warnings, ...more]) {
    console.error(`warning: ${warning}`);
  }
  for (const problem of problems) {
    console.error(`problem: ${problem}`);
  }
  const valid = problems.length === 0 ? "settings and files are valid" : "settings are valid";
  for (const fact of [valid, ...facts]) {
    console.log(fact);
  }
  // A client of the store would keep the process alive.
  process.exit(status);
}

/** Runs the service in this process, which may be a worker, or starts workers that do. Workers do not log the warnings. */
async function runServer(config: Config, warnings: readonly string[]): Promise<void> {
  const growth = heapGrowthFlag(process.execArgv, process.env.NODE_OPTIONS);
  if (growth !== undefined) {
    setFlagsFromString(growth);
  }
  const { worker } = cluster;
  // The banner has what the lines about the start say.
  const hasBanner = worker === undefined && config.logLevel === "info" && isLogText(config.logFormat);
  const level = hasBanner ? "warn" : config.logLevel;
  const log = createLog({ level, destination: openStandardOutput(), worker: worker?.id });
  const options: ProcessOptions = {
    reportBug: log.reportBug,
    log: (level, message) => log.logger[level](message),
  };
  // The primary process of workers does not load the code and data of the service.
  const start: StartService = async () => {
    const { serve } = await import("./serve.js");
    return serve({ config, log, warnings });
  };
  if (worker !== undefined) {
    return runWorker(worker, start, options);
  }
  const versions = { version: packageVersion(), node: process.version };
  log.logger.info({ ...versions, settings: changedSettings(config) }, "starting");
  log.logger.debug({ settings: allSettings(config) }, "settings with defaults");
  for (const warning of warnings) {
    log.logger.warn(warning);
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    stopWithParent();
  }
  const started = config.workers > 1 ? await startWorkers(config, options) : await runService(start, options);
  if (!started.ok) {
    reportProblems([started.failure.description], EXIT_NOT_STARTED);
    // Open resources, such as a store client that keeps reconnecting, would keep the process alive.
    process.exit();
  }
  const { url, isReady, whenReady, sources = () => [] } = started.value;
  if (!isReady) {
    log.logger.warn(
      `utility-tools accepts requests on ${url}, and is not ready: a line above says why, and ${url}/readyz which services`,
    );
    await whenReady;
  }
  log.logger.level = config.logLevel;
  reportReady(url, config, log, sources());
}

function reportReady(url: string, config: Config, { logger }: Log, sources: readonly DataSource[]): void {
  const baseUrl = config.publicBaseUrl ?? url;
  const hasPage = config.webPage === "on";
  if (isLogText(config.logFormat)) {
    console.log(banner(packageVersion(), url, baseUrl, hasPage, sources, Date.now()));
  } else {
    logger.info(
      `utility-tools is ready on ${url} – ${hasPage ? `open ${baseUrl}/ or ` : ""}try ${baseUrl}/v1/geoIp?ip_address=8.8.8.8`,
    );
  }
}

async function startWorkers({ workers, stopDelay, gracePeriod }: Config, options: ProcessOptions) {
  const { serveClusterMetrics } = await import("./telemetry/cluster-metrics.js");
  serveClusterMetrics();
  return runWorkers({ workers, stopTimeout: stopDelay + gracePeriod + STOP_MARGIN }, options);
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
