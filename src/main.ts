#!/usr/bin/env node
import { COMMANDS } from "./service/config/commands.js";
import { listenForSignals } from "./service/process/lifecycle.js";

/** The first argument names a command that is not the service's, or asks for help that is not about the service alone. */
function isForTools([first]: readonly string[]): boolean {
  return (
    first !== undefined &&
    (first.startsWith("-") ? ["-h", "--help"].includes(first) : COMMANDS.every(({ name }) => name !== first))
  );
}

/** Loads and runs what the arguments ask for: a tool takes nothing of the service, and is there sooner without. */
async function main(args: readonly string[]): Promise<void> {
  if (!isForTools(args)) {
    listenForSignals();
    const { runServiceCommand } = await import("./service/run-service.js");
    return runServiceCommand(args);
  }
  const { runTools } = await import("./cli/run-tools.js");
  // What is left open, such as standard input or a connection to a service, would keep the process.
  process.exit(await runTools(args));
}

await main(process.argv.slice(2));
