import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { checkEqual, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { startBehind, startShippedHaproxy } from "../shipped.js";
import { checkClient, checkFailover, checkProtocols } from "./proxy-checks.js";
import { ask } from "./requests.js";

/** Requests of a client to one replica. */
const LIMIT = 100;

/** Checks HAProxy, which forwards connections: the replicas have TLS, and read the address of the client from the PROXY protocol. */
export async function checkHaproxy(): Promise<void> {
  const { cert, key } = makeCertificate(temporaryFolder("haproxy"), "tools.example");
  const { proxy, replicas } = await startBehind((ports) => startShippedHaproxy(ports, cert), {
    LOG_REQUESTS: "all",
    PROXY_PROTOCOL: "required",
    TLS_CERT_FILE: cert,
    TLS_KEY_FILE: key,
    RATE_LIMIT: `${LIMIT}/1h`,
  });
  await checkProtocols(proxy);
  await checkClient(proxy, replicas);
  const statuses = new Set<number | undefined>();
  for (let sent = 0; sent <= replicas.length * LIMIT; sent++) {
    statuses.add((await ask(proxy, "/v1/about", { localAddress: "127.0.0.3" })).status);
  }
  const other = await ask(proxy, "/v1/about", { localAddress: "127.0.0.4" });
  checkEqual(
    "the rate limit of a client is not that of another",
    [[...statuses], other.status],
    [[200, 429], 200],
  );
  await checkFailover(proxy, replicas, ["ECONNRESET"]);
  await proxy.stop();
}
