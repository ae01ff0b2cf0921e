import { NO_HOST, type Reading, type ReadRequest } from "./reading.js";

/** How our reading of a case relates to that of a peer. */
export type Relation =
  /** Both have read the same, as far as both have read. */
  | { readonly kind: "same" }
  /** We have accepted a request, and the peer has rejected it. */
  | { readonly kind: "peer rejects"; readonly request: ReadRequest }
  /** We have read a request, and the peer waits for more bytes. */
  | { readonly kind: "peer waits"; readonly request: ReadRequest }
  /** We have read the whole body of a request, and the peer has the same part of it and waits for more bytes. */
  | { readonly kind: "peer waits for the body"; readonly request: ReadRequest }
  | { readonly kind: "difference"; readonly what: string };

const SAME: Relation = { kind: "same" };

/**
 * Compares our reading with that of a peer. A server may always reject a request, and may close the connection after any response
 * (RFC 9112, section 9.3); so it is no difference if we reject a request, nor if one of both closes the connection earlier.
 */
export function compareReadings(ours: Reading, peer: Reading): Relation {
  const count = Math.min(ours.requests.length, peer.requests.length);
  let relation = SAME;
  for (let index = 0; index < count; index++) {
    const [request, other] = [ours.requests[index], peer.requests[index]];
    if (request === undefined || other === undefined || request === "rejected") {
      continue;
    }
    if (other === "rejected") {
      relation = { kind: "peer rejects", request };
      continue;
    }
    const isWaiting = peer.end === "open" && request.isComplete && !other.isComplete;
    const what = differenceOf(isWaiting ? { ...request, isComplete: false } : request, other);
    if (what !== undefined) {
      return { kind: "difference", what: `request ${index + 1}: ${what}` };
    }
    if (isWaiting) {
      return { kind: "peer waits for the body", request };
    }
  }
  const next = peer.requests[count];
  if (ours.end === "open" && next !== undefined && next !== "rejected") {
    return { kind: "difference", what: `request ${count + 1}: we wait for more bytes` };
  }
  const request = ours.requests[count];
  if (request === undefined || request === "rejected" || peer.end === "closed" || relation !== SAME) {
    return relation;
  }
  return { kind: peer.end === "rejected" ? "peer rejects" : "peer waits", request };
}

/**
 * Returns how two readings of our server differ; undefined if they are the same. After an error it may read on or close the
 * connection: that depends on whether the body has arrived.
 */
export function differenceOfSplit(whole: Reading, split: Reading): string | undefined {
  const isCut = (shorter: Reading, longer: Reading) =>
    shorter.end === "rejected" && longer.requests[shorter.requests.length] === "rejected";
  const isSameLength = whole.requests.length === split.requests.length && whole.end === split.end;
  if (!isSameLength && !isCut(whole, split) && !isCut(split, whole)) {
    const brief = ({ requests, end, status }: Reading) =>
      `${requests.length} requests, then ${end} (${status})`;
    return `whole: ${brief(whole)}; split: ${brief(split)}`;
  }
  const count = Math.min(whole.requests.length, split.requests.length);
  for (let index = 0; index < count; index++) {
    const [request, other] = [whole.requests[index], split.requests[index]];
    if (request === undefined || other === undefined || request === "rejected" || other === "rejected") {
      if (request !== other) {
        return `request ${index + 1} is rejected only once`;
      }
      continue;
    }
    const what = differenceOf(request, other);
    if (what !== undefined) {
      return what;
    }
  }
  return undefined;
}

function differenceOf(ours: ReadRequest, peer: ReadRequest): string | undefined {
  const [a, b] = [comparable(ours), comparable(peer)];
  for (const key of ["method", "target", "host", "headers"] as const) {
    if (a[key] !== b[key]) {
      return `${key} ${JSON.stringify(a[key])}, the peer's ${JSON.stringify(b[key])}`;
    }
  }
  if (ours.isComplete !== peer.isComplete) {
    return `the body is ${ours.isComplete ? "complete" : "incomplete"}, and the peer's is not`;
  }
  const [body, other] = [Buffer.concat(ours.body), Buffer.concat(peer.body)];
  // A proxy may not have passed all of an incomplete body.
  const length = ours.isComplete ? Math.max(body.length, other.length) : Math.min(body.length, other.length);
  return body.subarray(0, length).equals(other.subarray(0, length))
    ? undefined
    : `body ${JSON.stringify(body.toString("latin1"))}, the peer's ${JSON.stringify(other.toString("latin1"))}`;
}

interface Comparable {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: string;
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

/** Headers about a connection, or that proxies change: their effect on method, target and body is compared. */
const NOT_COMPARED =
  /^(?:host|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|content-length|upgrade|http2-settings|expect|date|x-client-port|x-read-host|x-forwarded-.*|x-envoy-.*|x-request-id|x-hop)$/;

/**
 * Brings a request into the form that all servers can be compared in: absolute-form becomes origin-form and host (RFC 9112,
 * section 3.2.2), hosts are in lower case without the port, and names of headers in lower case.
 */
function comparable({ method, target, headers, host }: ReadRequest): Comparable {
  const absolute = ABSOLUTE.exec(target);
  const values = new Map<string, string>();
  let sentHost: string | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] ?? "").toLowerCase();
    const value = (headers[index + 1] ?? "").replaceAll(/^[ \t]+|[ \t]+$/g, "");
    if (name === "host") {
      sentHost ??= value;
    } else if (value !== "" && !NOT_COMPARED.test(name)) {
      // Envoy drops some headers without a value.
      const earlier = values.get(name);
      values.set(name, earlier === undefined ? value : `${earlier},${value}`);
    }
  }
  const authority = absolute?.[1] ?? host ?? sentHost ?? "";
  return {
    method,
    target: absolute === null ? target : originForm(absolute[2] ?? ""),
    host: authority === NO_HOST ? "" : authority.toLowerCase().replace(/:\d*$/, ""),
    headers: JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function originForm(rest: string): string {
  return rest.startsWith("/") ? rest : `/${rest}`;
}
