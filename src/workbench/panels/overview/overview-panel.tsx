import type { DescService } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useEffect } from "preact/hooks";
import { useCall } from "../../kit/call.js";
import { CopyRow } from "../../kit/copy.js";
import { ExchangeView } from "../../kit/exchange.js";
import { exampleRequest } from "../../kit/request.js";
import { useSession } from "../../kit/session.js";
import { sentenceOf } from "../../kit/text.js";
import { PANELS, type Panel, panelHash } from "../../panels.js";
import { toolExampleOf } from "./examples.js";
import "./overview.css";

const LOOKUP = SERVICES.geoIp.method.lookupIp;
const REQUEST = exampleRequest(LOOKUP.input);

/** One card per tool with a live response, and the addresses of the service for programs. */
export function OverviewPanel() {
  const lookup = useCall(LOOKUP);
  const { send } = lookup;
  useEffect(() => send(REQUEST), [send]);
  return (
    <>
      <div class="panel-heading hero">
        <h1>What do you want to look up?</h1>
        <Greeting />
      </div>
      <ul class="tools">
        {PANELS.map(
          (panel) =>
            panel.service !== undefined && (
              <ToolCard key={panel.id} panel={panel} service={SERVICES[panel.service]} />
            ),
        )}
        <ProgramsCard />
      </ul>
      <ExchangeView {...lookup} request={REQUEST} />
    </>
  );
}

const SELF_REQUEST = { view: LookupView.FULL };

/** The user's own address, if it is a public one, and where data goes. */
function Greeting() {
  const { send, outcome } = useCall(SERVICES.geoIp.method.lookupSelf);
  useEffect(() => send(SELF_REQUEST), [send]);
  const metadata = outcome?.ok === true ? outcome.value.message.metadata : undefined;
  const { city = "", countryName = "" } = metadata?.details ?? {};
  const place = [city, countryName].filter((name) => name !== "").join(", ");
  return (
    <p>
      {metadata !== undefined && (
        <>
          Your address is <a href={panelHash("geoip", { value: metadata.ip })}>{metadata.ip}</a>
          {place === "" ? "" : `, in ${place}`}.{" "}
        </>
      )}
      Nothing that you enter leaves this service.
    </p>
  );
}

interface ToolCardProps {
  readonly panel: Panel;
  readonly service: DescService;
}

/** A tool with its purpose, an example request and the live response. Leads to the panel, with the example if it has a URL. */
function ToolCard({ panel, service }: ToolCardProps) {
  const { method, show } = toolExampleOf(service);
  const { send, outcome } = useCall(method);
  useEffect(() => send(exampleRequest(method.input)), [send, method]);
  const [field] = method.input.fields;
  const example = field === undefined ? "" : fieldDocsOf(field).example;
  return (
    <li class="card tool-card">
      <h2>
        <a href={panelHash(panel.id, panel.placeOf?.(example))}>{panel.title}</a>
      </h2>
      <p class="tool-about">{panel.about}.</p>
      <div class="tool-example">
        <p class="tool-request code">{example}</p>
        {outcome?.ok === true && <div class="tool-response">{show(outcome.value.message)}</div>}
        {outcome?.ok === false && <p class="tool-about">{sentenceOf(outcome.failure.message)}</p>}
      </div>
    </li>
  );
}

/** The addresses of the service for programs. Leads to the API reference. */
function ProgramsCard() {
  const { baseUrl, needsKey } = useSession();
  return (
    <li class="card tool-card">
      <h2>
        <a href="docs">API reference</a>
      </h2>
      <p class="tool-about">
        Call the same tools from your programs. {needsKey ? "They need an API key too." : "No key is needed."}
      </p>
      <div class="tool-example tool-addresses">
        <CopyRow name="HTTP, Connect, gRPC-Web" value={baseUrl} />
        <CopyRow name="gRPC" value={grpcTarget(baseUrl)} />
      </div>
    </li>
  );
}

/** Converts a base URL to the host and port that gRPC libraries expect. */
function grpcTarget(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
}
