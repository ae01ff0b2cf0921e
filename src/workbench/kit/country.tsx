import { CountriesService, type CountrySummary } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useEffect, useMemo } from "preact/hooks";
import { type Call, useCall } from "./call.js";

export { Flag } from "./flag.js";

const { listCountries } = CountriesService.method;

/** The list of all countries. */
export interface Countries {
  readonly call: Call<typeof listCountries.input, typeof listCountries.output>;
  /** The countries in the order of the service; empty until the response arrives. */
  readonly list: readonly CountrySummary[];
  /** Returns the name of a country by its alpha-2 code, or the code until the name is known. */
  readonly nameOf: (code2: string) => string;
}

const NONE: readonly CountrySummary[] = [];

/** Fetches the list of all countries once. */
export function useCountries(): Countries {
  const call = useCall(listCountries);
  const { outcome, send } = call;
  useEffect(() => send({}), [send]);
  const list = outcome?.ok === true ? outcome.value.message.countries : NONE;
  const names = useMemo(() => new Map(list.map(({ code2, name }) => [code2, name])), [list]);
  return { call, list, nameOf: (code2) => names.get(code2) ?? code2 };
}
