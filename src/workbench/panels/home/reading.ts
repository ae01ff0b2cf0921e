import { splitKeyUri } from "../../../text/otp/key-uri.js";
import { kindOfInput } from "../../../text/recognize-input.js";
import { compactSecret } from "../otp/account.js";

/** What a text on the home is taken for. A text can turn out to be a country: the service knows their names. */
export type Reading =
  | { readonly kind: "ip" | "email" | "text"; readonly text: string }
  | {
      readonly kind: "secret";
      /** The request for its codes. */
      readonly request: { readonly secret: string } | { readonly key_uri: string };
      /** Whose secret it is; "" if the text does not say. */
      readonly account: string;
    };

/** Returns what a text is taken for; undefined for an empty text. */
export function readingOf(typed: string): Reading | undefined {
  const text = typed.trim();
  const kind = kindOfInput(text);
  if (text === "") {
    return undefined;
  }
  if (kind !== "secret") {
    return { kind, text };
  }
  if (!/^otpauth/i.test(text)) {
    return { kind, request: { secret: compactSecret(text) }, account: "" };
  }
  const { issuer = "", label = "" } = splitKeyUri(text) ?? {};
  return { kind, request: { key_uri: text }, account: [issuer, label].filter(Boolean).join(": ") };
}

/**
 * Whether a text can be a part of a secret that is being typed: it is in no link. It is one word of capitals with a digit, or a part
 * of the scheme of a link with a secret.
 */
export function mayBeSecret(text: string): boolean {
  const word = text.trim();
  return /^(?=.*[2-7])[A-Z2-7\s]{6,}=*$/i.test(word) || /^[A-Z2-7]{8,}$/.test(word) || /otpauth/i.test(word);
}
