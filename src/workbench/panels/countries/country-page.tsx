import type { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useEffect } from "preact/hooks";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { useAnswer } from "../../kit/service/call.js";
import { useSession } from "../../kit/session.js";
import { useDocumentTitle } from "../../kit/title.js";
import { methodAt } from "../../schema/method.js";
import { CountryDetail } from "./country-detail.js";

const GET = methodAt<typeof CountriesService.method.getCountry>("CountriesService/GetCountry");

interface CountryPageProps {
  /** A code or a name. */
  readonly value: string;
  /** Returns the name of a country by its alpha-2 code. */
  readonly nameOf: (code2: string) => string;
  /** The language of names, or "". */
  readonly language: string;
}

/** One country, or why there is none. */
export function CountryPage({ value, nameOf, language }: CountryPageProps) {
  const request = { country: value, ...(language !== "" && { language }) };
  const get = useAnswer(GET, request);
  const { announce } = useSession();
  const country = get.message?.country;
  const name = country?.name ?? "";
  useDocumentTitle("Countries", name || value);
  useEffect(() => announce(name), [announce, name]);
  // A country follows the list or a neighbor, which may be scrolled.
  useEffect(() => scrollTo(0, 0), [value]);
  return (
    <>
      <AnswerPlace isWaiting={get.outcome === undefined}>
        {get.failure !== undefined && (
          <div class="stack">
            <h1>{value}</h1>
            <ErrorView error={get.failure} />
          </div>
        )}
        {country !== undefined && <CountryDetail country={country} nameOf={nameOf} language={language} />}
      </AnswerPlace>
      <ExchangeView {...get} request={request} />
    </>
  );
}
