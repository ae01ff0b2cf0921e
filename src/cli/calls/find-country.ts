import type { DescMethod, DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { readError } from "@utility-tools/client";
import type {
  GetCountryResponse,
  ListCountriesResponse,
  SearchCountriesResponse,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { createError } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import { once } from "../../once.js";
import { parseCountryCode } from "../../tools/countries/country.js";
import { searchText } from "../../tools/countries/search/search-text.js";
import type { MethodCaller } from "./calls.js";

/** Loads the countries' service. Only commands that find countries need it. */
const loadService = () => import("@utility-tools/protos/utilitytools/v1/countries_pb.js");

const isGetCountry = (method: DescMethodUnary) =>
  methodName(method) === "utilitytools.v1.CountriesService.GetCountry";

type Match = SearchCountriesResponse["matches"][number];

/** Returns the code of the country that has a text as its code or English name; undefined if there is none. */
export type FindCode = (text: string) => Promise<string | undefined>;

/** Names of countries that others have as well. A search names all of them. */
const SHARED_NAMES: readonly string[] = ["Saint Martin"];

/** The longest text that a search accepts, in UTF-16 units. */
const MAX_NAME_LENGTH = 100;

/**
 * Creates a function that finds countries by their codes and English names in the list of all countries. The first search builds an
 * index, which takes longer than everything else that a command does.
 */
export function createFindCode(call: MethodCaller): FindCode {
  const codes = once(async () => {
    const countries = await listCountries(call);
    return new Map(
      countries.flatMap(({ code2, code3, name }) =>
        [name, code3, code2]
          .filter((value) => !SHARED_NAMES.includes(value))
          .map((value) => [searchText(value).compact, code2] as const),
      ),
    );
  });
  return async (text) =>
    // A search reads a text that begins with another character as a number, a flag or a domain.
    /^\s*\p{L}/u.test(text) && text.length <= MAX_NAME_LENGTH
      ? (await codes()).get(searchText(text).compact)
      : undefined;
}

async function listCountries(call: MethodCaller): Promise<ListCountriesResponse["countries"]> {
  const { CountriesService } = await loadService();
  // A handler fills all fields of its response.
  const { countries = [] } = (await call(
    CountriesService.method.listCountries,
    {},
  )) as Partial<ListCountriesResponse>;
  return countries;
}

/** The methods that {@link namingNeighbors} calls after a method. */
export function methodsForNeighbors(method: DescMethodUnary): readonly DescMethod[] {
  return isGetCountry(method) ? method.parent.methods.filter(({ name }) => name === "ListCountries") : [];
}

/** Lets the responses of `GetCountry` have names of neighbors in place of their codes, for people. */
export function namingNeighbors(call: MethodCaller): MethodCaller {
  const names = once(async () => {
    try {
      return new Map((await listCountries(call)).map(({ code2, name }) => [code2, name]));
    } catch (thrown) {
      if (!(thrown instanceof ConnectError)) {
        throw thrown;
      }
      // The country is known: a service that lists no others must not hide it.
      return new Map<string, string>();
    }
  });
  return async (method, request) => {
    const response = await call(method, request);
    const { country } = response as Partial<GetCountryResponse>;
    if (!isGetCountry(method) || country === undefined || country.borders.length === 0) {
      return response;
    }
    const known = await names();
    return {
      ...response,
      country: { ...country, borders: country.borders.map((code) => known.get(code) ?? code) },
    };
  };
}

/** The number of countries that an error names. */
const MAX_NAMED = 10;

/**
 * Lets `GetCountry` accept whatever a search finds, such as a name or a calling code. A code means its country. Otherwise one country
 * must have the text as a value; a value of the country itself precedes that of a subdivision, so that Georgia is the country. The
 * error names the countries that match.
 *
 * @param findCode finds the country of a name without a search; undefined: each name is searched for
 */
export function findingCountries(call: MethodCaller, findCode?: FindCode): MethodCaller {
  return async (method, request) => {
    const query = "country" in request ? request.country : undefined;
    if (
      findCode !== undefined &&
      isGetCountry(method) &&
      typeof query === "string" &&
      !parseCountryCode(query).ok
    ) {
      const known = await findCode(query);
      if (known !== undefined) {
        return call(method, { ...request, country: known });
      }
    }
    try {
      return await call(method, request);
    } catch (thrown) {
      const { code } = readError(thrown);
      const isUnknown = code === Code.NotFound || code === Code.InvalidArgument;
      if (!isGetCountry(method) || !isUnknown || typeof query !== "string") {
        throw thrown;
      }
      const result = await searchForCountries(call, query, 250);
      const found = result && (await chooseMatch(result.matches))?.country?.code2;
      if (found !== undefined) {
        return call(method, { ...request, country: found });
      }
      const isNothing = result?.matches.length === 0;
      // The error of a code has the suggestions.
      if (result === undefined || (isNothing && code === Code.NotFound)) {
        throw thrown;
      }
      throw isNothing ? unknownCountry(result.suggestions) : ambiguous(result.matches);
    }
  };
}

/** Searches for countries. Returns undefined if the text cannot be a query. */
export async function searchForCountries(
  call: MethodCaller,
  query: string,
  limit: number,
): Promise<Pick<SearchCountriesResponse, "matches" | "suggestions"> | undefined> {
  try {
    const { CountriesService } = await loadService();
    const found = (await call(CountriesService.method.searchCountries, {
      query,
      limit,
    })) as Partial<SearchCountriesResponse>;
    // A handler fills all fields of its response.
    return { matches: found.matches ?? [], suggestions: found.suggestions ?? [] };
  } catch (thrown) {
    if (readError(thrown).code === Code.InvalidArgument) {
      return undefined;
    }
    throw thrown;
  }
}

async function chooseMatch(matches: readonly Match[]): Promise<Match | undefined> {
  const { CountryMatch_Kind, CountryMatch_Match } = await loadService();
  const subdivisions: readonly unknown[] = [
    CountryMatch_Kind.SUBDIVISION_CODE,
    CountryMatch_Kind.SUBDIVISION_NAME,
  ];
  const equal = matches.filter(({ match }) => match === CountryMatch_Match.EXACT);
  const ofCountries = equal.filter(({ kind }) => !subdivisions.includes(kind));
  const candidates = ofCountries.length > 0 ? ofCountries : equal;
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** The error of a text that a search does not find. That of the service only allows codes. */
function unknownCountry(suggestions: readonly Match[]) {
  const hint = suggestions.length === 0 ? "" : `; did you mean ${suggestions.map(nameOf).join(" or ")}?`;
  return notFound("COUNTRY_NOT_FOUND", `no country has this code or name${hint}`);
}

function ambiguous(matches: readonly Match[]) {
  const named = matches.slice(0, MAX_NAMED).map(nameOf).join(", ");
  const more = matches.length > MAX_NAMED ? `, and ${matches.length - MAX_NAMED} more` : "";
  return matches.length === 1
    ? notFound("COUNTRY_NOT_FOUND", `no country has exactly this code or name; did you mean ${named}?`)
    : notFound("COUNTRY_AMBIGUOUS", `several countries match; give the code of one: ${named}${more}`);
}

function notFound(reason: Uppercase<string>, message: string) {
  return createError({ code: Code.NotFound, reason, message });
}

function nameOf({ country }: Match): string {
  return `${country?.name} (${country?.code2})`;
}
