import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Failure, fail, ok, type Result } from "../../result.js";
import type { ServiceImplementation } from "../../rpc/service.js";
import { countriesService } from "./countries-service.js";
import { parseCountries } from "./parse-countries.js";

/** Where the country data of the installation is. */
export function defaultCountriesPath(): string {
  const root = dirname(createRequire(import.meta.url).resolve("#package.json"));
  return join(root, "data", "countries.json");
}

/** Loads the country data and makes the countries service. A failure names the file. */
export async function loadCountriesService(
  path: string,
): Promise<Result<ServiceImplementation, Failure<"COUNTRY_DATA_UNREADABLE" | "BROKEN_COUNTRY_DATA">>> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return fail("COUNTRY_DATA_UNREADABLE", `the country data ${path} cannot be read: ${problem}`);
  }
  const countries = parseCountries(json);
  if (!countries.ok) {
    return fail(countries.failure.reason, `the country data ${path}: ${countries.failure.description}`);
  }
  return ok(countriesService({ countries: countries.value }));
}
