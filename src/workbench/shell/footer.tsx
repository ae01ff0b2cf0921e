import { SERVICES } from "@utility-tools/protos/services.js";
import { useEffect } from "preact/hooks";
import { useCall } from "../kit/use-call.js";
import { SourceList } from "./source-list.js";

/** The credit for the data, and what the service says of itself. */
export function Footer() {
  const about = useCall(SERVICES.about.method.getAbout);
  const { send, outcome } = about;
  useEffect(() => send({}), [send]);
  const answer = outcome?.ok === true ? outcome.value.message : undefined;
  return (
    <footer class="footer">
      <div class="footer-row">
        <p class="credit">
          <a href="https://db-ip.com">IP Geolocation by DB-IP</a>
        </p>
        <ul class="links">
          <li>
            <a href="docs">API reference</a>
          </li>
          <li>
            <a href="openapi.json">OpenAPI</a>
          </li>
          <li>
            <a href="healthz">Health</a>
          </li>
          <li>
            <a href="workbench/licences.md">Licences</a>
          </li>
        </ul>
        {answer !== undefined && <p class="version">Version {answer.version}</p>}
      </div>
      {answer !== undefined && <SourceList sources={answer.sources} />}
    </footer>
  );
}
