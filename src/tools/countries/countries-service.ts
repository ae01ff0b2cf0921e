import { Code } from "@connectrpc/connect";
import {
  CountriesService,
  CountryMatch_Kind as Kind,
  CountryMatch_Match as Match,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { baseUrlKey, cacheEncodings, invalidArgument, runInTurns } from "connect-transcoding";
import { inputError } from "../batch.js";
import { parseLimit } from "../parse-limit.js";
import { createTool, type Tool, type ToolState } from "../tool.js";
import {
  type Country,
  type CountryIndex,
  findCountry,
  indexCountries,
  parseCountryCode,
  RESERVED_CODES,
} from "./country.js";
import { type CountryNames, findLanguage, namesIn } from "./country-names.js";
import { parseQuery, searchCountries } from "./search/search-countries.js";
import type { SearchIndex } from "./search/search-index.js";
import type { CountryMatch, MatchType } from "./search/search-ranks.js";
import type { TermKind } from "./search/search-terms.js";

/** The path of one country, below the base URL. */
const COUNTRY_PATH = "/v1/countries?country=";

/** The number of base URLs whose responses are cached. A client chooses its base URL with the Host header, unless it is set. */
const MAX_BASE_URLS = 8;

const ERRORS = { field: "country", codes: { COUNTRY_NOT_FOUND: Code.NotFound } };

/** The limit of results of a search: all countries. */
const MAX_RESULTS = 250;

/** The number of countries that the error of an unknown one names. */
const MAX_SUGGESTED = 3;

type CountryFailure = Parameters<typeof inputError>[0];

const KINDS: Readonly<Record<TermKind, Kind>> = {
  alpha2: Kind.ALPHA2,
  alpha3: Kind.ALPHA3,
  numeric: Kind.NUMERIC,
  name: Kind.NAME,
  officialName: Kind.OFFICIAL_NAME,
  alternativeName: Kind.ALTERNATIVE_NAME,
  localName: Kind.LOCAL_NAME,
  formerName: Kind.FORMER_NAME,
  capital: Kind.CAPITAL,
  callingCode: Kind.CALLING_CODE,
  currency: Kind.CURRENCY,
  topLevelDomain: Kind.TOP_LEVEL_DOMAIN,
  timeZone: Kind.TIME_ZONE,
  subdivisionCode: Kind.SUBDIVISION_CODE,
  subdivisionName: Kind.SUBDIVISION_NAME,
  translatedName: Kind.TRANSLATED_NAME,
  otherName: Kind.OTHER_NAME,
  part: Kind.PART,
  demonym: Kind.DEMONYM,
  city: Kind.CITY,
  currencyName: Kind.CURRENCY_NAME,
  flag: Kind.FLAG,
  otherCode: Kind.OTHER_CODE,
  formerCode: Kind.FORMER_CODE,
  formerCurrency: Kind.FORMER_CURRENCY,
};

const MATCHES: Readonly<Record<MatchType, Match>> = {
  exact: Match.EXACT,
  start: Match.START,
  words: Match.WORDS,
  similar: Match.SIMILAR,
  part: Match.PART,
};

/** The dependencies of {@link countriesService}. */
export interface CountriesServiceDeps extends ToolState {
  /** All countries, ordered by name. */
  readonly countries: readonly Country[];
  /** Returns the names in all languages. Called by each request with a language. */
  readonly names: () => Promise<CountryNames>;
  /** Returns the index of the search. Called by each search. */
  readonly searchIndex: () => Promise<SearchIndex>;
}

/**
 * Creates the countries tool: the list of all countries, one country in detail, and the search.
 *
 * The list and a detail depend only on the country and the base URL, so they are created once. The messages and the country
 * data in them are frozen.
 */
export function countriesService({ countries, names, searchIndex, ...state }: CountriesServiceDeps): Tool {
  const index = indexCountries(countries);
  const responsesFor = cachePerBaseUrl((baseUrl) => cachedResponses(index, baseUrl));
  const localized = cachePerLanguage(countries);
  /** Throws the error of a client for a tag without a language. */
  const localizedFor = async (tag: string) => {
    const all = await names();
    const language = findLanguage(all, tag);
    if (!language.ok) {
      throw invalidArgument([{ field: "language", ...language.failure }]);
    }
    return localized(all, language.value);
  };
  /** Rejects with the error of a text that is no code. It names the countries that the text may mean. */
  const rejectCountry = async (text: string, failure: CountryFailure): Promise<never> => {
    const query = parseQuery(text);
    const isReserved = text.toUpperCase() in RESERVED_CODES;
    const { matches, suggestions } =
      query.ok && !isReserved
        ? searchCountries(await searchIndex(), query.value, MAX_SUGGESTED)
        : { matches: [], suggestions: [] };
    const found = [...matches, ...suggestions];
    // A single letter starts many names.
    const exact = found.filter(({ match }) => match === "exact");
    const near = exact.length > 0 || text.length <= 2 ? exact : found;
    const names = near.map(({ term: { country } }) => `${country.code2} (${country.name})`);
    const isOtherCode = failure.reason === "COUNTRY_NOT_FOUND" && exact.length === 1;
    const suggestion = isOtherCode ? `; use ${names.join("")}` : `; did you mean ${names.join(" or ")}?`;
    const description = names.length === 0 ? failure.description : failure.description + suggestion;
    throw inputError({ ...failure, description }, ERRORS);
  };
  return createTool(
    CountriesService,
    {
      listCountries(request, { values }) {
        const baseUrl = values.get(baseUrlKey);
        if (request.language === undefined) {
          return responsesFor(baseUrl).list();
        }
        return localizedFor(request.language).then(({ sorted, nameOf }) => ({
          countries: sorted.map((country) => ({ ...summaryMessage(country, baseUrl), ...nameOf(country) })),
        }));
      },

      getCountry(request, { values }) {
        const code = parseCountryCode(request.country);
        const country = code.ok ? findCountry(index, code.value) : code;
        const { language } = request;
        if (language === undefined) {
          return country.ok
            ? responsesFor(values.get(baseUrlKey)).detail(country.value)
            : rejectCountry(request.country, country.failure);
        }
        // An invalid language is an error of every country, also of one that does not exist.
        return localizedFor(language).then(({ nameOf }) => {
          if (!country.ok) {
            return rejectCountry(request.country, country.failure);
          }
          const response = responsesFor(values.get(baseUrlKey)).detail(country.value);
          return { country: { ...response.country, ...nameOf(country.value) } };
        });
      },

      async searchCountries(request, context) {
        const query = parseQuery(request.query);
        const limit = parseLimit(request.limit, MAX_RESULTS);
        if (!query.ok || !limit.ok) {
          throw invalidArgument([
            ...(query.ok ? [] : [{ field: "query", ...query.failure }]),
            ...(limit.ok ? [] : [{ field: "limit", ...limit.failure }]),
          ]);
        }
        const terms = await searchIndex();
        const found = await runInTurns(context, function* () {
          yield;
          return searchCountries(terms, query.value, limit.value);
        });
        const baseUrl = context.values.get(baseUrlKey);
        const toMessage = (match: CountryMatch) => matchMessage(match, baseUrl);
        return { matches: found.matches.map(toMessage), suggestions: found.suggestions.map(toMessage) };
      },
    },
    state,
  );
}

/** The countries in a language. */
interface LocalizedCountries {
  /** Ordered by their names in the language. */
  readonly sorted: readonly Country[];
  readonly nameOf: (country: Country) => { localizedName?: string };
}

/** Returns a function that returns the countries in a language of the names, and keeps them. */
function cachePerLanguage(
  countries: readonly Country[],
): (names: CountryNames, language: string) => LocalizedCountries {
  const known = new Map<string, LocalizedCountries>();
  return (names, language) => {
    const localized = known.get(language) ?? localizeCountries(countries, names, language);
    known.set(language, localized);
    return localized;
  };
}

function localizeCountries(
  countries: readonly Country[],
  names: CountryNames,
  language: string,
): LocalizedCountries {
  const byCode = namesIn(names, language);
  const sortKey = ({ code2, name }: Country) => byCode.get(code2) ?? name;
  const { compare } = new Intl.Collator(language);
  return {
    sorted: countries.toSorted((a, b) => compare(sortKey(a), sortKey(b))),
    nameOf({ code2 }) {
      const localizedName = byCode.get(code2);
      return localizedName === undefined ? {} : { localizedName };
    },
  };
}

/** Returns the value of a base URL, created on first use. Caches the values of the last {@link MAX_BASE_URLS} base URLs. */
function cachePerBaseUrl<T>(create: (baseUrl: string) => T): (baseUrl: string) => T {
  // In order of last use.
  const values = new Map<string, T>();
  let last: { readonly baseUrl: string; readonly value: T } | undefined;
  return (baseUrl) => {
    if (last?.baseUrl === baseUrl) {
      return last.value;
    }
    const value = values.get(baseUrl) ?? create(baseUrl);
    values.delete(baseUrl);
    values.set(baseUrl, value);
    const [oldest] = values.keys();
    if (values.size > MAX_BASE_URLS && oldest !== undefined) {
      values.delete(oldest);
    }
    last = { baseUrl, value };
    return value;
  };
}

/** The responses for one base URL, each created on first use. */
function cachedResponses({ countries }: CountryIndex, baseUrl: string) {
  let list: ReturnType<typeof listMessage> | undefined;
  const details = new Map<Country, ReturnType<typeof detailMessage>>();
  return {
    list() {
      list ??= cacheEncodings(deepFreeze(listMessage(countries, baseUrl)));
      return list;
    },
    detail(country: Country) {
      let detail = details.get(country);
      if (detail === undefined) {
        detail = cacheEncodings(deepFreeze(detailMessage(country, baseUrl)));
        details.set(country, detail);
      }
      return detail;
    },
  };
}

function listMessage(countries: readonly Country[], baseUrl: string) {
  return { countries: countries.map((country) => summaryMessage(country, baseUrl)) };
}

function summaryMessage({ code2, code3, name, capital, region, subregion }: Country, baseUrl: string) {
  return { code2, code3, name, capital, region, subregion, apiUrl: apiUrl(baseUrl, code2) };
}

function matchMessage({ term, match }: CountryMatch, baseUrl: string) {
  const { value, kind, language, country, state } = term;
  return {
    value,
    kind: KINDS[kind],
    language,
    match: MATCHES[match],
    country: summaryMessage(country, baseUrl),
    ...(state && { state: { ...state } }),
  };
}

/** Copies the arrays, because those of messages are not read-only. */
function detailMessage({ search: _, ...country }: Country, baseUrl: string) {
  return {
    country: {
      ...country,
      apiUrl: apiUrl(baseUrl, country.code2),
      currencies: [...country.currencies],
      languages: [...country.languages],
      callingCodes: [...country.callingCodes],
      timeZones: [...country.timeZones],
      states: [...country.states],
      borders: [...country.borders],
    },
  };
}

function apiUrl(baseUrl: string, code2: string): string {
  return `${baseUrl}${COUNTRY_PATH}${code2}`;
}

/** Freezes a tree of plain objects and arrays. Stops at values that are frozen already. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
