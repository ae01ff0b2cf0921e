import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import {
  implement,
  invalidArgument,
  KeptAnswer,
  notFound,
  type ServiceImplementation,
} from "connect-transcoding";
import type { Country } from "./country.js";
import { deepFreeze } from "./deep-freeze.js";
import { type CountryIndex, findCountry, indexCountries } from "./index-countries.js";
import { parseCountryCode } from "./parse-country-code.js";
import { recentlyUsed } from "./recently-used.js";

/** Where one country can be read over HTTP, below the base URL. */
const COUNTRY_PATH = "/v1/countries?country=";

/** For how many base URLs answers are kept. Callers choose theirs, unless it is set, with the Host header. */
const MAX_BASE_URLS = 8;

/** What the countries service needs from the outside. */
export interface CountriesServiceDeps {
  /** All countries, ordered by name. */
  readonly countries: readonly Country[];
}

/**
 * The countries service: the whole list, and one country in detail.
 *
 * Answers depend on nothing but the base URL, so they are made once for each. Their messages are frozen, and so is the
 * country data in them.
 */
export function countriesService(deps: CountriesServiceDeps): ServiceImplementation {
  const index = indexCountries(deps.countries);
  const answersFor = recentlyUsed(MAX_BASE_URLS, (baseUrl: string) => keptAnswers(index, baseUrl));
  return implement(CountriesService, {
    listCountries(_request, { baseUrl }) {
      return answersFor(baseUrl).list();
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
      return answersFor(baseUrl).detail(found.value);
    },
  });
}

/** The answers for one base URL, each made when it is first asked for. */
function keptAnswers({ countries }: CountryIndex, baseUrl: string) {
  let list: KeptAnswer<ReturnType<typeof listMessage>> | undefined;
  const details = new Map<Country, KeptAnswer<ReturnType<typeof detailMessage>>>();
  return {
    list() {
      list ??= new KeptAnswer(deepFreeze(listMessage(countries, baseUrl)));
      return list;
    },
    detail(country: Country) {
      const kept = details.get(country) ?? new KeptAnswer(deepFreeze(detailMessage(country, baseUrl)));
      details.set(country, kept);
      return kept;
    },
  };
}

function listMessage(countries: readonly Country[], baseUrl: string) {
  return {
    countries: countries.map(({ code2, code3, name, capital, region, subregion }) => ({
      code2,
      code3,
      name,
      capital,
      region,
      subregion,
      apiUrl: apiUrl(baseUrl, code2),
    })),
  };
}

/** The arrays are copies because messages have none that are read-only. */
function detailMessage(country: Country, baseUrl: string) {
  return {
    country: {
      ...country,
      apiUrl: apiUrl(baseUrl, country.code2),
      currencies: [...country.currencies],
      languages: [...country.languages],
      callingCodes: [...country.callingCodes],
      timeZones: [...country.timeZones],
      states: [...country.states],
    },
  };
}

function apiUrl(baseUrl: string, code2: string): string {
  return `${baseUrl}${COUNTRY_PATH}${code2}`;
}
