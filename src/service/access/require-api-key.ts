import { timingSafeEqual } from "node:crypto";
import { Code } from "@connectrpc/connect";
import type { Admission, Area, Refusal } from "connect-transcoding";
import { RpcError } from "connect-transcoding";
import { type ApiKey, digestOf } from "./api-key.js";
import { shownKey } from "./shown-key.js";

/** What {@link requireApiKey} goes by. */
export interface ApiKeyRule {
  /** The keys that are valid now. Without any, nobody may in. */
  readonly keys: () => readonly ApiKey[];
  /** What needs no key besides health, which never does: probes have none. */
  readonly openAreas: readonly Area[];
  /** Is told of each request whose area is not open. */
  readonly onCheck?: (check: ApiKeyCheck) => void;
}

/** What comes of looking for a key. */
export type ApiKeyCheck = "accepted" | "missing" | "refused";

/** https://www.rfc-editor.org/rfc/rfc6750#section-3 wants an attribute behind the scheme, and no error where no key was. */
const CHALLENGE = 'Bearer realm="utility-tools"';

const HOW = "send it in the header Authorization: Bearer <key>, or X-API-Key: <key>";

const missing = () => unauthenticated("API_KEY_MISSING", `an API key is needed: ${HOW}`);
const invalid = () =>
  unauthenticated("API_KEY_INVALID", `the API key is not valid: ${HOW}, one key and once`);

/** What requests without a valid key are refused with. */
export const API_KEY_REFUSALS: readonly Refusal[] = [
  { error: missing(), description: "The request shows no API key." },
  { error: invalid(), description: "The API key that the request shows is not valid." },
];

/** The two ways to show a key, as OpenAPI describes them. https://spec.openapis.org/oas/v3.1.1.html#security-scheme-object */
export const API_KEY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer <key>`." },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "The same API key in another header.",
  },
} as const;

/**
 * The rule that requests show an API key, in a form that {@link shownKey} knows. One that is valid gives the request its
 * name, in open areas too; there, one that is not valid is as good as none, so that a page or a probe does not depend on
 * what a client sends everywhere. Elsewhere the request ends with `UNAUTHENTICATED`, for the reason `API_KEY_MISSING` or
 * `API_KEY_INVALID`, and with the challenge that RFC 9110 asks for in section 11.6.1. Caches are told that the answer is for
 * those who show this key.
 */
export function requireApiKey({ keys, openAreas, onCheck }: ApiKeyRule): Admission {
  const open: ReadonlySet<Area> = new Set<Area>(["health", ...openAreas]);
  return (request) => {
    const shown = shownKey(request.header("authorization"), request.header("x-api-key"));
    const name = shown.form === "key" ? nameOf(digestOf(shown.key), keys()) : undefined;
    request.principal = name;
    if (open.has(request.area)) {
      return undefined;
    }
    // Caches know of Authorization by themselves (RFC 9111, section 3.5), and of a header of our own only by this.
    request.addHeader("vary", "authorization, x-api-key");
    if (name !== undefined) {
      onCheck?.("accepted");
      return undefined;
    }
    const isMissing = shown.form === "none";
    onCheck?.(isMissing ? "missing" : "refused");
    request.addHeader("www-authenticate", isMissing ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`);
    return isMissing ? missing() : invalid();
  };
}

/** The name of the key with this digest. Compares it with every key to the end, so that time tells nothing of them. */
function nameOf(digest: Buffer, keys: readonly ApiKey[]): string | undefined {
  let name: string | undefined;
  for (const key of keys) {
    if (timingSafeEqual(key.digest, digest)) {
      name = key.name;
    }
  }
  return name;
}

function unauthenticated(reason: Uppercase<string>, message: string): RpcError {
  return new RpcError({ code: Code.Unauthenticated, reason, message });
}
