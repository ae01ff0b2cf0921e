#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { isMainThread } from "node:worker_threads";
import { packageVersion } from "./installed-package.js";
import { canPrecedeCommand, HELP_FLAGS, VERSION_FLAGS } from "./program-flags.js";
import { listenForSignals } from "./service/process/lifecycle.js";

// V8 counts which objects outlive a collection, and then allocates more of their kind in the old generation. Under load, the
// objects of a request do outlive some, so that all of them end up there, where they keep others alive until a full collection.
setFlagsFromString("--no-allocation-site-pretenuring");

/** Flags that are about the whole program. All other leading flags but those of tools are settings of `serve`, the default command. */
const PROGRAM_FLAGS = `${HELP_FLAGS}, ${VERSION_FLAGS}`.split(", ");

/** Runs the service or a command. Each loads only its own modules. */
async function main(args: readonly string[]): Promise<void> {
  if (!isMainThread) {
    const { runInSecondThread } = await import("./cli/lists/run-second-thread.js");
    return runInSecondThread(args);
  }
  const [first, ...rest] = args;
  const isDefault =
    first === undefined ||
    (first.startsWith("-") && !PROGRAM_FLAGS.includes(first) && !canPrecedeCommand(first));
  if (isDefault || first === "serve") {
    listenForSignals();
    const { runServiceCommand } = await import("./service/run-service.js");
    return runServiceCommand(isDefault ? args : rest);
  }
  // With more arguments, these are matters of the program.
  if (VERSION_FLAGS.split(", ").includes(first) && rest.length === 0) {
    console.log(`utility-tools ${packageVersion()}`);
    return;
  }
  if (HELP_FLAGS.split(", ").includes(first) && rest.length === 0) {
    const { printOverview } = await import("./cli/definitions/overview.js");
    const status = await printOverview();
    if (status !== undefined) {
      process.exit(status);
    }
  }
  if (first === "healthcheck" && rest.length === 0) {
    const { checkHealth, flagsOfProcess1 } = await import("./service/health-check.js");
    const { status, text } = await checkHealth(process.env, await flagsOfProcess1(import.meta.filename));
    (status === 0 ? console.log : console.error)(text);
    process.exit(status);
  }
  const { runTools } = await import("./cli/program.js");
  // Open handles, such as standard input or a connection to a service, would keep the process alive.
  process.exit(await runTools(args));
}

await main(process.argv.slice(2));
