import { malformed } from "../transcoding/http-error.js";
import { isAuthority } from "./authority.js";
import { headerOf, isHttp2, type NodeRequest } from "./node-http.js";

/** Where a request says it goes. */
export interface RequestOrigin {
  /** Host and optional port. */
  readonly authority: string;
  /** Path and query: the request target in origin form, or `*`. */
  readonly target: string;
}

/**
 * Reads authority and target of a request. HTTP/1.1 may have both in an absolute-form target, whose authority then
 * counts (RFC 9112, section 3.2.2). Throws a 400 HttpError when there is no authority, more than one, or one that
 * is not a host with an optional port; HTTP/1.0 is held to it as well, since answers need it for their URLs.
 */
export function requestOrigin(request: NodeRequest): RequestOrigin {
  const url = request.url ?? "";
  const absolute = isHttp2(request) ? null : /^https?:\/\/([^/?#]*)(.*)$/i.exec(url);
  const authority = absolute?.[1] ?? soleAuthority(request);
  if (authority === undefined || !isAuthority(authority)) {
    const header = isHttp2(request) ? ":authority" : "Host header";
    throw malformed("INVALID_HOST", `the request needs exactly one ${header}: a host and an optional port`);
  }
  const target = absolute === null ? url : (absolute[2] ?? "");
  return { authority, target: target.startsWith("?") || target === "" ? `/${target}` : target };
}

function soleAuthority(request: NodeRequest): string | undefined {
  if (isHttp2(request)) {
    const authority = headerOf(request, ":authority");
    const host = headerOf(request, "host");
    return authority !== undefined && host !== undefined && authority !== host
      ? undefined
      : (authority ?? host);
  }
  // Node keeps the first of several Host headers; which one a proxy went by is anyone's guess.
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  return hosts.length === 1 ? request.headers.host : undefined;
}
