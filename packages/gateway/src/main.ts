#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { makeApiKey } from "connect-transcoding-operations/access/api-keys";
import { parseOptions, USAGE } from "./command/parse-options.js";
import { OptionError, problemText } from "./errors.js";
import { type Gateway, startGateway } from "./server/gateway.js";
import { gatewayVersion } from "./version.js";

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
    console.log(gatewayVersion());
    return;
  }
  if (command.kind === "make-key") {
    const made = makeApiKey(command.name, randomBytes);
    if (!made.ok) {
      throw new OptionError(made.failure.description);
    }
    console.error(`Add this line to the file in --api-keys-file:\n\n${made.value.line}\n`);
    console.error("API key (shown only once):");
    console.log(made.value.key);
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
