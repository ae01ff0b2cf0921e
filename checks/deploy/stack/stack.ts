import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { TYPESCRIPT_FLAGS } from "../../../test/typescript-flags.js";
import { evaluate, readPanelQueries } from "../prometheus/dashboard-queries.js";
import { endServices } from "../service-process.js";
import { missingStackPackages, startTopology, type Topology } from "./topology.js";

// `npm run check -- deploy/stack`: runs what deploy/compose.yaml runs, as processes of this machine, with some traffic, and prints the values of
// the dashboard. It runs until it is interrupted, or for `-- --seconds 20`.
const { values: args } = parseArgs({ options: { seconds: { type: "string" } } });

/** Panels that are empty as long as nothing fails and replicas have no workers. */
const QUIET_PANELS: ReadonlySet<string> = new Set(["Failures by method", "Events"]);

/** Seconds until each query has values: rates need several scrapes, and the rate limit must have been exceeded. */
const FIRST_VALUES = 10;

process.on("exit", endServices);
const missing = missingStackPackages();
if (missing.length > 0) {
  console.error(`some programs are missing: apt-get install ${missing.join(" ")}`);
  process.exit(1);
}
const topology = await startTopology();
if (topology !== undefined) {
  process.exitCode = (await run(topology)) ? 0 : 1;
}

/** Resolves to whether the panels of the dashboard had values. */
async function run({ url, certificate, apiKey, prometheus, stop }: Topology): Promise<boolean> {
  const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const sender = [...TYPESCRIPT_FLAGS, join(import.meta.dirname, "send-traffic.ts"), url, apiKey];
  const traffic = spawn(process.execPath, sender, {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    stdio: ["ignore", "inherit", "inherit"],
  });
  console.log(`service     ${url}
prometheus  ${prometheus.url}
dashboard   deploy/grafana/dashboard.json, for a Grafana with this Prometheus as data source

curl --cacert ${certificate} --header 'X-API-Key: ${apiKey}' '${url}/v1/geoIp?ip_address=8.8.8.8'
`);
  const seconds = args.seconds === undefined ? undefined : Number(args.seconds);
  await Promise.race([wait(FIRST_VALUES * 1000), interrupted]);
  const hasValues = await printPanels(prometheus);
  if (seconds === undefined) {
    console.log("\nIt runs until it is interrupted (Ctrl-C).");
    await interrupted;
  } else {
    await Promise.race([wait(Math.max(0, seconds - FIRST_VALUES) * 1000), interrupted]);
  }
  traffic.kill();
  await stop();
  return hasValues;
}

/** Prints the present value of each query of the dashboard. Resolves to whether those that need one have one. */
async function printPanels(prometheus: Topology["prometheus"]): Promise<boolean> {
  let hasValues = true;
  console.log("Panel of the dashboard                       Series  Value");
  for (const query of readPanelQueries()) {
    const { series, value } = await evaluate(prometheus, query);
    hasValues &&= value !== undefined || QUIET_PANELS.has(query.panel);
    const name = `${query.panel} ${query.refId}`.padEnd(44);
    console.log(
      `${name} ${String(series).padStart(6)}  ${value === undefined ? "none" : Number(value.toPrecision(4))}`,
    );
  }
  return hasValues;
}
