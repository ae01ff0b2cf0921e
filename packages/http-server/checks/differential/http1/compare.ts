import { type Difference, differencesOf } from "connect-transcoding-testing/differences.js";
import { NO_HOST, type Reading, type ReadRequest } from "./readings.js";

/** How our reading of a case differs from another one, and in which of our requests. */
export interface ReadingDifference extends Difference {
  readonly request?: ReadRequest;
}

/**
 * Compares our reading with that of a peer. A server may always reject a request, and may close the connection after any response
 * (RFC 9112, section 9.3); so it is no difference if we reject a request, nor if one of both closes the connection earlier.
 *
 * The path is "rejected" for a request that we accept and the peer rejects, "waits" if the peer waits for more bytes instead, and
 * "incomplete" if it waits for more of the body.
 */
export function compareReadings(ours: Reading, peer: Reading): ReadingDifference[] {
  const count = Math.min(ours.requests.length, peer.requests.length);
  const about = (path: string, request: ReadRequest): ReadingDifference[] => [
    {
      path,
      ours: "accepted",
      theirs: `${peer.end} (${peer.status}) after ${peer.requests.length} requests`,
      request,
    },
  ];
  let rejected: ReadingDifference[] = [];
  for (let index = 0; index < count; index++) {
    const [request, other] = [ours.requests[index], peer.requests[index]];
    if (request === undefined || other === undefined || request === "rejected") {
      continue;
    }
    if (other === "rejected") {
      rejected = about("rejected", request);
      continue;
    }
    const isWaiting = peer.end === "open" && request.isComplete && !other.isComplete;
    const found = differencesOfRequests(isWaiting ? { ...request, isComplete: false } : request, other);
    if (found.length > 0 || isWaiting) {
      return found.length > 0 ? found : about("incomplete", request);
    }
  }
  const next = peer.requests[count];
  if (ours.end === "open" && next !== undefined && next !== "rejected") {
    return [{ path: "end", ours: "waits for more bytes", theirs: next.target }];
  }
  const request = ours.requests[count];
  if (request === undefined || request === "rejected" || peer.end === "closed" || rejected.length > 0) {
    return rejected;
  }
  return about(peer.end === "rejected" ? "rejected" : "waits", request);
}

function differencesOfRequests(ours: ReadRequest, peer: ReadRequest): Difference[] {
  const lengths = [ours, peer].map(({ body }) => Buffer.concat(body).length);
  // A proxy may not have passed all of an incomplete body.
  const length = ours.isComplete ? Math.max(...lengths) : Math.min(...lengths);
  return differencesOf(comparable(ours, length), comparable(peer, length));
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

/** Headers about a connection, or that proxies change: their effect on method, target and body is compared. */
const NOT_COMPARED =
  /^(?:host|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|content-length|upgrade|http2-settings|expect|date|x-client-port|x-read-host|x-forwarded-.*|x-envoy-.*|x-request-id|x-hop)$/;

/**
 * Brings a request into the form that all servers can be compared in: absolute-form becomes origin-form and host (RFC 9112,
 * section 3.2.2), hosts are in lower case without the port, names of headers in lower case, and a body has at most `length` bytes.
 */
function comparable(request: ReadRequest, length: number): Record<string, unknown> {
  const { method, target, headers, host, body, isComplete } = request;
  const [, absoluteHost = host, rest = target] = ABSOLUTE.exec(target) ?? [];
  const values: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] ?? "").toLowerCase();
    const value = (headers[index + 1] ?? "").replaceAll(/^[ \t]+|[ \t]+$/g, "");
    // nginx sends no header without a value.
    if (value !== "" && !NOT_COMPARED.test(name)) {
      values[name] = values[name] === undefined ? value : `${values[name]},${value}`;
    }
  }
  return {
    method,
    target: rest === target || rest.startsWith("/") ? rest : `/${rest}`,
    host: absoluteHost === NO_HOST ? "" : absoluteHost.toLowerCase().replace(/:\d*$/, ""),
    headers: values,
    isComplete,
    body: Buffer.concat(body).toString("latin1", 0, length),
  };
}
