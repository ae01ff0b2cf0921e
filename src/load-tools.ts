import type { Config } from "./config/config.js";
import type { WatchFiles } from "./files/watch-files.js";
import { type Failure, ok, type Result } from "./result.js";
import type { Tool, ToolEvent } from "./rpc/tool.js";
import { loadAboutService } from "./tools/about/load-about-service.js";
import { barcodeService } from "./tools/barcode/barcode-service.js";
import { MAX_DATA_LENGTH } from "./tools/barcode/qr-code.js";
import { defaultCountriesPaths, loadCountriesService } from "./tools/countries/load-countries-service.js";
import { emailService } from "./tools/email/email-service.js";
import { loadGeoIpService } from "./tools/geoip/load-geoip-service.js";
import { otpService } from "./tools/otp/otp-service.js";

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

/**
 * Every tool, one line each; what a tool is given here is all that it knows of the world. `allTools` gives all of them,
 * once they are there.
 */
const TOOLS: readonly ((config: Config, world: World, allTools: () => readonly Tool[]) => Loading)[] = [
  (_config, world) => ok(otpService({ ...world, maxUrlLength: MAX_DATA_LENGTH })),
  () => loadCountriesService(defaultCountriesPaths()),
  (config, world) => loadGeoIpService(config, world).then(ok),
  () => ok(emailService()),
  () => ok(barcodeService()),
  (_config, _world, allTools) => ok(loadAboutService(allTools)),
];

/**
 * Makes all tools with their data. Fails with the first that cannot be made; one whose data is not usable yet is made, and
 * not ready.
 */
export async function loadTools(config: Config, world: World): Promise<Result<readonly Tool[], Failure>> {
  const tools: Tool[] = [];
  for (const loaded of await Promise.all(TOOLS.map((load) => load(config, world, () => tools)))) {
    if (!loaded.ok) {
      return loaded;
    }
    tools.push(loaded.value);
  }
  return ok(tools);
}
