import { CountriesService } from "../../../gen/utilitytools/v1/countries_pb.js";
import { invalidArgument, notFound } from "../../rpc/rpc-error.js";
import { implement, type ServiceImplementation } from "../../rpc/service.js";
import type { Country } from "./country.js";
import { findCountry, indexCountries } from "./index-countries.js";
import { parseCountryCode } from "./parse-country-code.js";

/** Where one country can be read over HTTP, below the base URL. */
const COUNTRY_PATH = "/v1/countries?country=";

/** What the countries service needs from the outside. */
export interface CountriesServiceDeps {
  /** All countries, ordered by name. */
  readonly countries: readonly Country[];
}

/** The countries service: the whole list, and one country in detail. */
export function countriesService(deps: CountriesServiceDeps): ServiceImplementation {
  const index = indexCountries(deps.countries);
  return implement(CountriesService, {
    listCountries(_request, { baseUrl }) {
      return {
        countries: index.countries.map(({ code2, code3, name, capital, region, subregion }) => ({
          code2,
          code3,
          name,
          capital,
          region,
          subregion,
          apiUrl: apiUrl(baseUrl, code2),
        })),
      };
    },

    getCountry(request, { baseUrl }) {
      const code = parseCountryCode(request.country);
      if (!code.ok) {
        throw invalidArgument([{ field: "country", ...code.failure }]);
      }
      const found = findCountry(index, code.value);
      if (!found.ok) {
        throw notFound(found.failure, { country: code.value });
      }
      return { country: detail(found.value, apiUrl(baseUrl, found.value.code2)) };
    },
  });
}

/** The message of a country: its own arrays, so that nobody can change the data through it. */
function detail(country: Country, apiUrl: string) {
  return {
    ...country,
    apiUrl,
    currencies: [...country.currencies],
    languages: [...country.languages],
    callingCodes: [...country.callingCodes],
    timeZones: [...country.timeZones],
    states: [...country.states],
  };
}

function apiUrl(baseUrl: string, code2: string): string {
  return `${baseUrl}${COUNTRY_PATH}${code2}`;
}
