import { SERVICES } from "@utility-tools/protos/services.js";
import { useEffect } from "preact/hooks";
import { Exchange } from "../../kit/exchange.js";
import { exampleRequest } from "../../kit/request-of.js";
import { useCall } from "../../kit/use-call.js";
import { PANELS } from "../../panels.js";
import { Doors } from "./doors.js";
import { ExampleCard } from "./example-card.js";
import { EXAMPLES } from "./examples.js";
import "./overview.css";

const LOOKUP = SERVICES.geoIp.method.lookupIp;
const REQUEST = exampleRequest(LOOKUP.input);

/** What there is, each tool with an answer of this moment, and how to call it from elsewhere. */
export function OverviewPanel() {
  const { send, outcome, isLoading } = useCall(LOOKUP);
  useEffect(() => send(REQUEST), [send]);
  return (
    <>
      <div class="panel-heading hero">
        <h1>Everyday look-ups, one port</h1>
        <p>
          One-time passwords, countries, IP geolocation, e-mail addresses and QR codes, answered from data
          that is on this machine. Each answer on this page came from the service just now.
        </p>
      </div>
      <ul class="tools">
        {PANELS.flatMap(({ id, title }) =>
          EXAMPLES.filter(({ panelId }) => panelId === id).map((example) => (
            <ExampleCard key={id} title={title} example={example} />
          )),
        )}
        <li class="card tool-card">
          <h2>
            <a href="docs">API reference</a>
          </h2>
          <p class="tool-about">Every method with its parameters, limits and errors, to be tried out.</p>
          <div class="tool-example">
            <p class="tool-question code">GET /openapi.json</p>
            <div class="tool-answer">
              <a href="openapi.json">OpenAPI document</a>
            </div>
          </div>
        </li>
      </ul>
      <section class="panel-columns call-it" aria-labelledby="call-it">
        <Doors />
        <Exchange method={LOOKUP} request={REQUEST} outcome={outcome} isLoading={isLoading} />
      </section>
    </>
  );
}
