/** What a request shows for a key: nothing, something that cannot be one, or a key that may be valid. */
export type ShownKey =
  | { readonly form: "none" }
  | { readonly form: "malformed" }
  | { readonly form: "key"; readonly key: string };

/** Characters of a header with a key that are looked at: room for keys of any make. */
const MAX_LENGTH = 512;

/** The `token68` of RFC 9110, section 11.2, which is RFC 6750's `b64token`; without the comma that joins several values. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const NONE: ShownKey = { form: "none" };
const MALFORMED: ShownKey = { form: "malformed" };

/**
 * The key that a request shows in `Authorization: Bearer <key>` (the scheme in any case) or in `X-API-Key: <key>`; in both
 * only if it is the same. Another scheme is none of ours, for a proxy may have asked for it. A header without a key in it
 * counts as absent.
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1, https://www.rfc-editor.org/rfc/rfc9110#section-11.4
 */
export function shownKey(authorization: string | undefined, xApiKey: string | undefined): ShownKey {
  const bearer = authorization === undefined ? NONE : bearerKey(authorization);
  const plain = xApiKey === undefined ? NONE : keyIn(xApiKey.trim());
  if (bearer.form === "none" || plain.form === "none") {
    return bearer.form === "none" ? plain : bearer;
  }
  const isSame = bearer.form === "key" && plain.form === "key" && bearer.key === plain.key;
  return isSame ? bearer : MALFORMED;
}

function bearerKey(authorization: string): ShownKey {
  const credentials = authorization.trim();
  if (credentials.length > MAX_LENGTH) {
    return /^bearer /i.test(credentials) ? MALFORMED : NONE;
  }
  const bearer = /^bearer(?: +(.*))?$/i.exec(credentials);
  return bearer === null ? NONE : keyIn(bearer[1] ?? "");
}

function keyIn(text: string): ShownKey {
  if (text === "") {
    return NONE;
  }
  return text.length <= MAX_LENGTH && TOKEN.test(text) ? { form: "key", key: text } : MALFORMED;
}
