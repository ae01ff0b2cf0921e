import type { IncomingRequest } from "connect-transcoding";
import { isInBlocks } from "connect-transcoding-operations/settings/addresses";
import type { Config } from "../../config/config.js";

/** Headers in which proxies send the address of the client. */
const FORWARDING_HEADERS = ["x-forwarded-for", "forwarded", "x-real-ip", "cf-connecting-ip"];

/** All of this number of first requests are examined, then one of `SAMPLED`: a proxy sends such a header with each of its requests. */
const EXAMINED = 100;
const SAMPLED = 16;

/**
 * Returns a function that finds a request with a forwarding header that is ignored, because its address is not that of a trusted proxy. If
 * it is of a proxy of the operator, all clients of the proxy count as one. Examines no request after the first one that is found.
 *
 * @param report called once with the name of the header and the address that has sent it
 */
export function watchForwarding(
  { trustedProxies, clientAddressHeader }: Pick<Config, "trustedProxies" | "clientAddressHeader">,
  report: (header: string, address: string) => void,
): (request: Pick<IncomingRequest, "clientAddress" | "header">) => void {
  const headers = [clientAddressHeader, ...FORWARDING_HEADERS];
  let isFound = false;
  let requests = 0;
  return (request) => {
    if (isFound || (requests++ >= EXAMINED && requests % SAMPLED !== 0)) {
      return;
    }
    const name = headers.find((each) => request.header(each) !== undefined);
    if (name === undefined) {
      return;
    }
    const { clientAddress } = request;
    // The address of a client behind a trusted proxy is in the header. Otherwise it is that of the connection.
    const isHonored =
      trustedProxies.length > 0 &&
      (request.header(clientAddressHeader)?.includes(clientAddress) === true ||
        isInBlocks(trustedProxies, clientAddress));
    if (!isHonored) {
      isFound = true;
      report(name, clientAddress);
    }
  };
}
