import type { CountriesService, CountrySummary } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useMemo } from "preact/hooks";
import { methodAt, type Plain } from "../../schema/method.js";
import { type Call, useAnswer } from "./call.js";

const LIST = methodAt<typeof CountriesService.method.listCountries>("CountriesService/ListCountries");

/** The list of all countries. */
export interface Countries {
  readonly call: Call<
    typeof CountriesService.method.listCountries.input,
    typeof CountriesService.method.listCountries.output
  >;
  /** The request of the list. */
  readonly request: { readonly language?: string };
  /** The countries in the order of the service; empty until the response arrives. */
  readonly list: readonly Plain<CountrySummary>[];
  /** Returns the name of a country by its alpha-2 code, in the language of the list; the code until the name is known. */
  readonly nameOf: (code2: string) => string;
}

const NONE: readonly Plain<CountrySummary>[] = [];

/** Fetches the list of all countries, with names in a language; without one, in English. */
export function useCountries(language = ""): Countries {
  const request = language === "" ? {} : { language };
  const call = useAnswer(LIST, request);
  const list = call.message?.countries ?? NONE;
  const names = useMemo(
    () => new Map(list.map(({ code2, name, localizedName }) => [code2, localizedName ?? name])),
    [list],
  );
  return { call, request, list, nameOf: (code2) => names.get(code2) ?? code2 };
}
