import type { DescService } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import type { Config } from "../config/config.js";
import { type Failure, ok, type Result } from "../failures/result.js";
import { once } from "../once.js";
import type { Tool, ToolEnvironment, ToolModule } from "./tool.js";

/** A service, and the module that loads its tool. */
interface ToolEntry {
  readonly service: DescService;
  /** Imports the module when the tool is loaded, so that loading one tool does not import the others. */
  readonly module: () => Promise<ToolModule>;
  /** Whether the tool describes the other tools, so that they have to be loaded with it. */
  readonly needsAllTools?: boolean;
}

/** All tools, one line each, in the order of the documentation. */
const TOOLS: readonly ToolEntry[] = [
  { service: SERVICES.otp, module: () => import("./otp/otp-service.js") },
  { service: SERVICES.countries, module: () => import("./countries/load-countries.js") },
  { service: SERVICES.geoIp, module: () => import("./geoip/load-geoip.js") },
  { service: SERVICES.email, module: () => import("./email/load-email.js") },
  { service: SERVICES.barcode, module: () => import("./barcode/barcode-service.js") },
  { service: SERVICES.about, module: () => import("./about/about-service.js"), needsAllTools: true },
];

/** The services of all tools, in the order of the documentation. */
export const TOOL_SERVICES: readonly DescService[] = TOOLS.map(({ service }) => service);

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
  const entries = TOOLS.filter((entry) => entry.service === service);
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
