import { CountriesService, type CountrySummary } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useEffect, useMemo } from "preact/hooks";
import { type Call, useCall } from "../../kit/use-call.js";

/** The list of all countries. */
export interface Countries {
  readonly call: Call<
    typeof CountriesService.method.listCountries.input,
    typeof CountriesService.method.listCountries.output
  >;
  /** In the service's order; empty as long as there is no answer. */
  readonly list: readonly CountrySummary[];
  /** What a country is called, by its alpha-2 code; the code itself as long as that is not known. */
  readonly nameOf: (code2: string) => string;
}

const NONE: readonly CountrySummary[] = [];

/** Asks for the list of all countries, once. */
export function useCountries(): Countries {
  const call = useCall(CountriesService.method.listCountries);
  const { outcome, send } = call;
  useEffect(() => send({}), [send]);
  const list = outcome?.ok === true ? outcome.value.message.countries : NONE;
  const names = useMemo(() => new Map(list.map(({ code2, name }) => [code2, name])), [list]);
  return { call, list, nameOf: (code2) => names.get(code2) ?? code2 };
}
