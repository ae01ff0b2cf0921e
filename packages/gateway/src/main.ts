#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseOptions, USAGE } from "./command/parse-options.js";
import { OptionError, problemText } from "./errors.js";
import { type Gateway, startGateway } from "./server/gateway.js";

/** Exit statuses of sysexits.h: invalid options, and a port that is not available. */
const EX_USAGE = 64;
const EX_UNAVAILABLE = 69;

let gateway: Gateway | undefined;
let signals = 0;

/** Drains the gateway. A second signal does not wait. */
function stop(): void {
  signals += 1;
  if (signals > 1 || gateway === undefined) {
    process.exit(signals > 1 ? 1 : 0);
  }
  void gateway.stop().then(() => process.exit(0));
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);

async function main(): Promise<void> {
  const command = parseOptions(process.argv.slice(2));
  if (command.kind === "help") {
    process.stdout.write(USAGE);
    return;
  }
  if (command.kind === "version") {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    console.log(version);
    return;
  }
  gateway = await startGateway(command.options, (line) => console.log(line));
  console.log(`ready on ${gateway.url}`);
}

try {
  await main();
} catch (thrown) {
  console.error(`connect-transcoding-gateway: ${problemText(thrown)}`);
  process.exit(thrown instanceof OptionError ? EX_USAGE : EX_UNAVAILABLE);
}
