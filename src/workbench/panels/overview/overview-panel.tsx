import type { DescService } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { fieldDocsOf, firstSentence } from "connect-transcoding/openapi";
import { useEffect } from "preact/hooks";
import { useCall } from "../../kit/call.js";
import { Prose } from "../../kit/content.js";
import { CopyRow } from "../../kit/copy.js";
import { ExchangeView } from "../../kit/exchange.js";
import { exampleRequest } from "../../kit/request.js";
import { useSession } from "../../kit/session.js";
import { commentOf } from "../../kit/text.js";
import { PANELS, type Panel } from "../../panels.js";
import { KEY_VARIABLE } from "../../snippet/snippets.js";
import { toolExampleOf } from "./examples.js";
import "./overview.css";

const LOOKUP = SERVICES.geoIp.method.lookupIp;
const REQUEST = exampleRequest(LOOKUP.input);

/** One card per tool with a live response, and how to call the service. */
export function OverviewPanel() {
  const lookup = useCall(LOOKUP);
  const { send } = lookup;
  useEffect(() => send(REQUEST), [send]);
  return (
    <>
      <div class="panel-heading hero">
        <h1>Everyday lookups, one port</h1>
        <p>
          One-time passwords, countries, IP geolocation, e-mail addresses and QR codes, served from data on
          this machine. Every response on this page is live.
        </p>
      </div>
      <ul class="tools">
        {PANELS.map(
          (panel) =>
            panel.service !== undefined && (
              <ToolCard key={panel.id} panel={panel} service={SERVICES[panel.service]} />
            ),
        )}
        <li class="card tool-card">
          <h2>
            <a href="docs">API reference</a>
          </h2>
          <p class="tool-about">Every method with its parameters, limits and errors, ready to try out.</p>
          <div class="tool-example">
            <p class="tool-request code">GET /openapi.json</p>
            <div class="tool-response">
              <a href="openapi.json">OpenAPI document</a>
            </div>
          </div>
        </li>
      </ul>
      <section class="panel-columns call-it" aria-labelledby="call-it">
        <Addresses />
        <ExchangeView {...lookup} request={REQUEST} />
      </section>
    </>
  );
}

interface ToolCardProps {
  readonly panel: Panel;
  readonly service: DescService;
}

/** A tool with its purpose, an example request and the live response. */
function ToolCard({ panel, service }: ToolCardProps) {
  const { method, show } = toolExampleOf(service);
  const { send, outcome } = useCall(method);
  useEffect(() => send(exampleRequest(method.input)), [send, method]);
  const [field] = method.input.fields;
  return (
    <li class="card tool-card">
      <h2>
        <a href={`#/${panel.id}`}>{panel.title}</a>
      </h2>
      <p class="tool-about">
        <Prose text={`${firstSentence(commentOf(service))}.`} />
      </p>
      <div class="tool-example">
        <p class="tool-request code">{field === undefined ? "" : fieldDocsOf(field).example}</p>
        {outcome?.ok === true && <div class="tool-response">{show(outcome.value.message)}</div>}
        {outcome?.ok === false && (
          <p class="tool-failure code">{outcome.failure.reason || outcome.failure.code}</p>
        )}
      </div>
    </li>
  );
}

/** The addresses of the service for each protocol. */
function Addresses() {
  const { baseUrl, needsKey } = useSession();
  return (
    <div class="addresses">
      <h2 id="call-it">Call it from your code</h2>
      <p>
        One port serves four protocols: JSON over HTTP for <code>curl</code> and any HTTP client; gRPC for
        typed clients; Connect and gRPC-Web for browsers. Server reflection is enabled, so
        <code> buf curl</code> and <code>grpcurl</code> need no schema.
      </p>
      <div class="copy-rows">
        <CopyRow name="JSON, Connect, gRPC-Web" value={baseUrl} />
        <CopyRow name="gRPC" value={grpcTarget(baseUrl)} />
      </div>
      <p>
        {needsKey ? (
          <>
            An API key is required, in the header <code>Authorization: Bearer</code>. The snippets on this
            page read it from
            <code> {KEY_VARIABLE}</code>.
          </>
        ) : (
          "No API key is required."
        )}
      </p>
    </div>
  );
}

/** Converts a base URL to the host and port that gRPC libraries expect. */
function grpcTarget(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
}
