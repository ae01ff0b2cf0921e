import { loadCountries } from "../../../src/tools/countries/load-countries.js";

const loaded = await loadCountries();
if (!loaded.ok) {
  throw new Error(loaded.failure.description);
}

/** The country data of the service. */
export const countries = loaded.value;
