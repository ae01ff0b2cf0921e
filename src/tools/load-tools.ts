import type { DescService } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { type Failure, ok, type Result } from "../result.js";
import type { Config } from "../service/config/config.js";
import type { WatchFiles } from "../service/data-files/data-files.js";
import { loadAboutService } from "./about/load-about-service.js";
import { barcodeService } from "./barcode/barcode-service.js";
import { MAX_DATA_LENGTH } from "./barcode/qr-code.js";
import { defaultCountriesPaths, loadCountriesService } from "./countries/load-countries-service.js";
import { emailService } from "./email/email-service.js";
import { loadGeoIpService } from "./geoip/load-geoip-service.js";
import { otpService } from "./otp/otp-service.js";
import type { Tool, ToolEvent } from "./tool.js";

/** What tools know of the world besides their settings. */
export interface World {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Random octets that nobody can guess. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly watchFiles: WatchFiles;
  /** Is told of what happens to tools between calls. Must not throw. */
  readonly report: (event: ToolEvent) => void;
}

/** A tool, or why it cannot be made: its part of the installation is broken. */
type Loading = Result<Tool, Failure> | Promise<Result<Tool, Failure>>;

/** Makes a tool; `allTools` gives all that were made, once they are there. */
type LoadTool = (config: Config, world: World, allTools: () => readonly Tool[]) => Loading;

/** Every tool, one line each: its service, and how it is made. What a tool is given here is all that it knows of the world. */
const TOOLS: readonly (readonly [service: DescService, load: LoadTool])[] = [
  [SERVICES.otp, (_config, world) => ok(otpService({ ...world, maxUrlLength: MAX_DATA_LENGTH }))],
  [SERVICES.countries, () => loadCountriesService(defaultCountriesPaths())],
  [SERVICES.geoIp, (config, world) => loadGeoIpService(config, world).then(ok)],
  [SERVICES.email, () => ok(emailService())],
  [SERVICES.barcode, () => ok(barcodeService())],
  [SERVICES.about, (_config, _world, allTools) => ok(loadAboutService(allTools))],
];

/** The services of all tools, in the order in which documents have them. */
export const TOOL_SERVICES: readonly DescService[] = TOOLS.map(([service]) => service);

/** The tools that answer about others, which they need to be there as well. */
const ABOUT_OTHERS: ReadonlySet<DescService> = new Set([SERVICES.about]);

/**
 * Makes all tools with their data. Fails with the first that cannot be made; one whose data is not usable yet is made, and
 * not ready.
 */
export function loadTools(config: Config, world: World): Promise<Result<readonly Tool[], Failure>> {
  return load(TOOLS, config, world);
}

/** Makes the tools that calls of one service need, and leaves the data of all others alone. Fails as {@link loadTools} does. */
export function loadToolsFor(
  service: DescService,
  config: Config,
  world: World,
): Promise<Result<readonly Tool[], Failure>> {
  const needed = ABOUT_OTHERS.has(service) ? TOOLS : TOOLS.filter(([each]) => each === service);
  return load(needed, config, world);
}

async function load(
  entries: typeof TOOLS,
  config: Config,
  world: World,
): Promise<Result<readonly Tool[], Failure>> {
  const tools: Tool[] = [];
  for (const loaded of await Promise.all(entries.map(([, each]) => each(config, world, () => tools)))) {
    if (!loaded.ok) {
      return loaded;
    }
    tools.push(loaded.value);
  }
  return ok(tools);
}
