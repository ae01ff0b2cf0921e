import type { Config } from "./config/config.js";
import { type Failure, ok, type Result } from "./result.js";
import type { ServiceImplementation } from "./rpc/service.js";
import { barcodeService } from "./tools/barcode/barcode-service.js";
import { MAX_DATA_LENGTH } from "./tools/barcode/qr-code.js";
import { defaultCountriesPath, loadCountriesService } from "./tools/countries/load-countries-service.js";
import { emailService } from "./tools/email/email-service.js";
import { loadGeoIpService } from "./tools/geoip/load-geoip-service.js";
import { otpService } from "./tools/otp/otp-service.js";

/** What services know of the world besides their settings and files. */
export interface World {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Random octets that nobody can guess. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** A service, or why the data it needs cannot be used. */
type Loading = Result<ServiceImplementation, Failure> | Promise<Result<ServiceImplementation, Failure>>;

/** Every tool, one line each; what a tool is given here is all that it knows of the world. */
const TOOLS: readonly ((config: Config, world: World) => Loading)[] = [
  (_config, world) => ok(otpService({ ...world, maxUrlLength: MAX_DATA_LENGTH })),
  () => loadCountriesService(defaultCountriesPath()),
  (config) => loadGeoIpService(config),
  () => ok(emailService()),
  () => ok(barcodeService()),
];

/** Makes the services of all tools with their data. Fails with the first that cannot be made. */
export async function loadServices(
  config: Config,
  world: World,
): Promise<Result<ServiceImplementation[], Failure>> {
  const services: ServiceImplementation[] = [];
  for (const loaded of await Promise.all(TOOLS.map((load) => load(config, world)))) {
    if (!loaded.ok) {
      return loaded;
    }
    services.push(loaded.value);
  }
  return ok(services);
}
