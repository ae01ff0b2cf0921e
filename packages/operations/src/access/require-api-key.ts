import { Code, type ConnectError } from "@connectrpc/connect";
import { knownOptions, trimField } from "@utility-tools/http-server/portable";
import { createError, type IncomingRequest } from "connect-transcoding";
import type { DocumentedError } from "connect-transcoding/openapi";
import { type RequestKind, requestKind } from "../request-kind.js";
import { type ApiKeys, digestOf } from "./api-keys.js";

/** The API key in the headers of a request: none, malformed, or a key that may be valid. */
type SentKey =
  | { readonly form: "none" }
  | { readonly form: "malformed" }
  | { readonly form: "key"; readonly key: string };

/** The maximum length of a header with a key, in characters. Operators can supply their own keys of any form. */
const MAX_HEADER_LENGTH = 512;

/**
 * The `token68` of RFC 9110, section 11.2, which equals the `b64token` of RFC 6750. It excludes the comma that joins
 * repeated headers.
 */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const NONE: SentKey = { form: "none" };
const MALFORMED: SentKey = { form: "malformed" };

/**
 * Returns the key in `Authorization: Bearer <key>` (the scheme is case-insensitive) or `X-API-Key: <key>`. If both headers
 * have a key, it must be the same. Another scheme is ignored, because it may be meant for a proxy. A header without a key
 * counts as absent.
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1, https://www.rfc-editor.org/rfc/rfc9110#section-11.4
 */
export function keyFromHeaders(authorization: string | undefined, xApiKey: string | undefined): SentKey {
  const bearer = authorization === undefined ? NONE : bearerKey(authorization);
  const plain = xApiKey === undefined ? NONE : keyFromText(trimField(xApiKey));
  if (bearer.form === "none" || plain.form === "none") {
    return bearer.form === "none" ? plain : bearer;
  }
  const isSame = bearer.form === "key" && plain.form === "key" && bearer.key === plain.key;
  return isSame ? bearer : MALFORMED;
}

function bearerKey(authorization: string): SentKey {
  const credentials = trimField(authorization);
  if (credentials.length > MAX_HEADER_LENGTH) {
    return /^bearer /i.test(credentials) ? MALFORMED : NONE;
  }
  const bearer = /^bearer(?: +(.*))?$/i.exec(credentials);
  return bearer === null ? NONE : keyFromText(bearer[1] ?? "");
}

function keyFromText(text: string): SentKey {
  if (text === "") {
    return NONE;
  }
  return text.length <= MAX_HEADER_LENGTH && TOKEN.test(text) ? { form: "key", key: text } : MALFORMED;
}

const HOW = "send it in the header Authorization: Bearer <key>, or X-API-Key: <key>";

const missingKey = () => unauthenticated("API_KEY_MISSING", `an API key is needed: ${HOW}`);
const invalidKey = () =>
  unauthenticated("API_KEY_INVALID", `the API key is not valid: ${HOW}, one key and once`);

function unauthenticated(reason: Uppercase<string>, message: string): ConnectError {
  return createError({ code: Code.Unauthenticated, reason, message });
}

/** Returns the errors of {@link requireApiKey}, for the API document. The first ConnectError of a process loads the fetch of Node. */
export function apiKeyRejections(): DocumentedError[] {
  return [
    { error: missingKey(), description: "The request has no API key." },
    { error: invalidKey(), description: "The API key of the request is not valid." },
  ];
}

/** The two headers for a key, as OpenAPI describes them: https://spec.openapis.org/oas/v3.1.1.html#security-scheme-object */
export const API_KEY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer <key>`." },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "The same API key in another header.",
  },
} as const;

/** The outcome of checking the key of a request. */
export type ApiKeyCheck = "accepted" | "missing" | "refused";

/** Pages that are the same for every client, and need no key in some requests. */
export interface OpenPages {
  /** Whether a request needs no key. */
  has(request: Pick<IncomingRequest, "path" | "protocol" | "header">): boolean;
  /** Whether that depends on the `Accept` of the request. */
  dependsOnAccept(request: Pick<IncomingRequest, "path" | "protocol">): boolean;
}

/** Options of {@link requireApiKey}. */
export interface ApiKeyOptions {
  /** Returns the keys that are valid now. If there are none, all requests that need a key are rejected. */
  readonly keys: () => ApiKeys;
  /** The kinds of requests that need no key. Health checks never need one. */
  readonly openAreas: readonly RequestKind[];
  /** The realm in `WWW-Authenticate`: a name without quotes. */
  readonly realm: string;
  /** Default: none. */
  readonly openPages?: OpenPages | undefined;
  /** Called once per request that needs a key, with the name of an accepted one. */
  readonly onCheck?: (check: ApiKeyCheck, name?: string) => void;
  /** Returns milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Returns a hook that requires a valid API key. It sets `principal` to the name of the key, also for requests that need no
 * key; for those an invalid key is ignored, so that pages and probes work whatever a client always sends. Browsers need no key for
 * static pages, which prompt for it. Other requests
 * without a valid key are rejected with `UNAUTHENTICATED`, with the reason `API_KEY_MISSING` or `API_KEY_INVALID`, and with
 * `WWW-Authenticate` (RFC 9110, section 11.6.1). Responses vary by the headers for the key.
 */
export function requireApiKey(options: ApiKeyOptions): (request: IncomingRequest) => void {
  const {
    keys,
    openAreas,
    realm,
    openPages,
    onCheck,
    now = Date.now,
  } = knownOptions("requireApiKey", options, {
    keys: true,
    openAreas: true,
    realm: true,
    openPages: true,
    onCheck: true,
    now: true,
  });
  // RFC 6750, section 3, requires an attribute after the scheme, and no error code if the request has no key.
  const challenge = `Bearer realm="${realm}"`;
  const open: ReadonlySet<RequestKind> = new Set<RequestKind>(["health", ...openAreas]);
  return (request) => {
    const sent = keyFromHeaders(request.header("authorization"), request.header("x-api-key"));
    const key = sent.form === "key" ? keys().get(digestOf(sent.key)) : undefined;
    const isExpired = key?.expiresAt !== undefined && now() >= key.expiresAt;
    const name = isExpired ? undefined : key?.name;
    request.principal = name;
    if (open.has(requestKind(request))) {
      return;
    }
    if (openPages?.dependsOnAccept(request) === true) {
      request.addHeader("vary", "accept");
    }
    if (openPages?.has(request) === true) {
      return;
    }
    // Caches handle Authorization by themselves (RFC 9111, section 3.5), but X-API-Key only if Vary names it.
    request.addHeader("vary", "authorization, x-api-key");
    if (name !== undefined) {
      onCheck?.("accepted", name);
      return;
    }
    const isMissing = sent.form === "none";
    onCheck?.(isMissing ? "missing" : "refused");
    request.addHeader("www-authenticate", isMissing ? challenge : `${challenge}, error="invalid_token"`);
    throw isMissing ? missingKey() : invalidKey();
  };
}
