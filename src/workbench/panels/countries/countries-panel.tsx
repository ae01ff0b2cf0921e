import {
  CountriesService,
  GetCountryRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useEffect, useRef, useState } from "preact/hooks";
import { Exchange } from "../../kit/exchange.js";
import { MethodTabs } from "../../kit/method-tabs.js";
import { PanelHeading } from "../../kit/panel-heading.js";
import { exampleValues } from "../../kit/request-of.js";
import { useCall } from "../../kit/use-call.js";
import { useForm } from "../../kit/use-form.js";
import { CountryDetail } from "./country-detail.js";
import { CountryList } from "./country-list.js";
import { useCountries } from "./use-countries.js";
import "./countries.css";

const { getCountry, listCountries } = CountriesService.method;

const NOTHING = {};

/** Somebody who holds an arrow key down passes many countries by; only the last is asked for, after this many milliseconds. */
const PASSING_BY = 80;

/** The list of all countries, and one of them in detail. */
export function CountriesPanel() {
  const countries = useCountries();
  const { values, set, request } = useForm(GetCountryRequestSchema, exampleValues(GetCountryRequestSchema));
  const { outcome, isLoading, send } = useCall(getCountry);
  const detail = useRef<HTMLDivElement>(null);
  const [isPicked, setPicked] = useState(false);
  useEffect(() => send(request, PASSING_BY), [send, request]);

  const country = outcome?.ok === true ? outcome.value.message.country : undefined;
  useEffect(() => {
    if (isPicked && country !== undefined) {
      // Where list and detail are one below the other, the detail may be out of sight.
      detail.current?.scrollIntoView({ block: "nearest" });
    }
  }, [isPicked, country]);
  return (
    <>
      <PanelHeading title="Countries" service={CountriesService} />
      <div class="stack">
        <div class="countries">
          <CountryList
            countries={countries}
            chosen={values.country ?? ""}
            onChoose={(code) => {
              setPicked(true);
              set("country", code);
            }}
          />
          <div ref={detail} class="countries-detail">
            {country !== undefined && <CountryDetail country={country} />}
          </div>
        </div>
        <div class="countries-exchange">
          <MethodTabs
            exchanges={[
              {
                method: getCountry,
                view: () => (
                  <Exchange method={getCountry} request={request} outcome={outcome} isLoading={isLoading} />
                ),
              },
              {
                method: listCountries,
                view: () => (
                  <Exchange method={listCountries} request={NOTHING} outcome={countries.call.outcome} />
                ),
              },
            ]}
          />
        </div>
      </div>
    </>
  );
}
