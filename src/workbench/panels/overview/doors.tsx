import { CopyRow } from "../../kit/copy-row.js";
import { useSession } from "../../session.js";
import { KEY_VARIABLE } from "../../snippet/snippet-request.js";

/** Where the service is, and in which protocols it can be spoken to there. */
export function Doors() {
  const { baseUrl, needsKey } = useSession();
  return (
    <div class="doors">
      <h2 id="call-it">Call it from your code</h2>
      <p>
        One port takes four protocols, and one handler answers all of them: JSON over HTTP for anything that
        can
        <code> curl</code>; gRPC for typed clients; Connect and gRPC-Web for browsers. Reflection is on, so
        that
        <code> buf curl</code> and <code>grpcurl</code> need no schema.
      </p>
      <div class="copy-rows">
        <CopyRow name="JSON, Connect, gRPC-Web" value={baseUrl} />
        <CopyRow name="gRPC" value={grpcTarget(baseUrl)} />
      </div>
      <p>
        {needsKey ? (
          <>
            It asks for an API key, in the header <code>Authorization: Bearer</code>. The requests on this
            page take it from
            <code> {KEY_VARIABLE}</code>.
          </>
        ) : (
          "It needs no key."
        )}
      </p>
    </div>
  );
}

/** A base URL as gRPC libraries want it: a host and a port. */
function grpcTarget(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
}
