import { randomBytes } from "node:crypto";
import type { Config } from "./config.js";
import { type Failure, ok, type Result } from "./result.js";
import type { ServiceImplementation } from "./rpc/service.js";
import { barcodeService } from "./tools/barcode/barcode-service.js";
import { MAX_DATA_LENGTH } from "./tools/barcode/qr-code.js";
import { emailService } from "./tools/email/email-service.js";
import { defaultGeoIpPaths } from "./tools/geoip/default-geoip-paths.js";
import { geoIpService } from "./tools/geoip/geoip-service.js";
import { loadGeoIpDatabases } from "./tools/geoip/load-geoip-databases.js";

import { otpService } from "./tools/otp/otp-service.js";

/** A service, or why the data it needs cannot be used. */
type Loading = Result<ServiceImplementation, Failure> | Promise<Result<ServiceImplementation, Failure>>;

/** Every tool, one line each; what a tool is given here is all that it knows of the world. */
const TOOLS: readonly ((config: Config) => Loading)[] = [
  () => ok(otpService({ now: Date.now, randomBytes, maxUrlLength: MAX_DATA_LENGTH })),
  () => ok(emailService()),
  () => ok(barcodeService()),
  loadGeoIp,
];

/** Makes the services of all tools with their data. Fails with the first that cannot be made. */
export async function loadServices(config: Config): Promise<Result<ServiceImplementation[], Failure>> {
  const services: ServiceImplementation[] = [];
  for (const loaded of await Promise.all(TOOLS.map((load) => load(config)))) {
    if (!loaded.ok) {
      return loaded;
    }
    services.push(loaded.value);
  }
  return ok(services);
}

async function loadGeoIp({
  geoIpCityFiles,
  geoIpAsnFiles,
}: Config): Promise<Result<ServiceImplementation, Failure>> {
  const defaults = defaultGeoIpPaths();
  const paths = { city: geoIpCityFiles ?? defaults.city, asn: geoIpAsnFiles ?? defaults.asn };
  const databases = await loadGeoIpDatabases(paths, { city: "GEOIP_CITY_FILES", asn: "GEOIP_ASN_FILES" });
  return databases.ok ? ok(geoIpService({ databases: databases.value })) : databases;
}
