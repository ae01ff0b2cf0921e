import type { DescService } from "@bufbuild/protobuf";
import type { SERVICE_LOADERS } from "@utility-tools/protos/service-loaders.js";
import type { Config } from "../config/config.js";
import { type Failure, ok, type Result } from "../failures/result.js";
import { once } from "../once.js";
import type { Tool, ToolEnvironment, ToolModule } from "./tool.js";

/** The full name of a service, and the module that loads its tool. A command loads the code of its own service alone. */
interface ToolEntry {
  readonly service: keyof typeof SERVICE_LOADERS;
  /** Imports the module when the tool is loaded, so that loading one tool does not import the others. */
  readonly module: () => Promise<ToolModule>;
  /** Whether the tool describes the other tools, so that they have to be loaded with it. */
  readonly needsAllTools?: boolean;
}

/** All tools, one line each, in the order of the documentation. */
const TOOLS: readonly ToolEntry[] = [
  { service: "utilitytools.v1.OtpService", module: () => import("./otp/otp-service.js") },
  { service: "utilitytools.v1.CountriesService", module: () => import("./countries/load-countries.js") },
  { service: "utilitytools.v1.GeoIpService", module: () => import("./geoip/load-geoip.js") },
  { service: "utilitytools.v1.EmailService", module: () => import("./email/load-email.js") },
  { service: "utilitytools.v1.BarcodeService", module: () => import("./barcode/barcode-service.js") },
  {
    service: "utilitytools.v1.AboutService",
    module: () => import("./about/about-service.js"),
    needsAllTools: true,
  },
];

/** The full names of the services of all tools, in the order of the documentation. */
export const SERVICE_NAMES: readonly string[] = TOOLS.map(({ service }) => service);

/** Loads all tools. Fails with the first failure of a tool's `load`. */
export function loadTools(
  config: Config,
  environment: ToolEnvironment,
): Promise<Result<readonly Tool[], Failure>> {
  return load(TOOLS, config, environment);
}

/** Loads only the tools that the methods of one service need. Fails as {@link loadTools} does. */
export function loadToolsFor(
  service: DescService,
  config: Config,
  environment: ToolEnvironment,
): Promise<Result<readonly Tool[], Failure>> {
  const entries = TOOLS.filter((entry) => entry.service === service.typeName);
  return load(entries.some(({ needsAllTools }) => needsAllTools) ? TOOLS : entries, config, environment);
}

async function load(
  entries: readonly ToolEntry[],
  config: Config,
  environment: ToolEnvironment,
): Promise<Result<readonly Tool[], Failure>> {
  const tools: Tool[] = [];
  const countries = once(async () => (await import("./countries/load-countries.js")).loadCountries());
  const context = { ...environment, config, countries, tools: () => tools };
  const results = await Promise.all(entries.map(async ({ module }) => (await module()).load(context)));
  for (const result of results) {
    if (!result.ok) {
      return result;
    }
    tools.push(result.value);
  }
  return ok(tools);
}
