import { EMAIL_ADDRESS, IP_ADDRESS } from "../../panels.js";

/** What a text on the home is taken for. A text can turn out to be a country: the service knows their names. */
export type Reading =
  | { readonly kind: "ip" | "email" | "text"; readonly text: string }
  | {
      readonly kind: "secret";
      /** The Base32 secret; "" if the text has none that the service can use. */
      readonly secret: string;
      /** The number of digits of its codes. */
      readonly digits: number;
      /** Whose secret it is; "" if the text does not say. */
      readonly account: string;
    };

/** Returns what a text is taken for; undefined for an empty text. */
export function readingOf(typed: string): Reading | undefined {
  const text = typed.trim();
  if (text === "") {
    return undefined;
  }
  if (IP_ADDRESS.test(text)) {
    return { kind: "ip", text };
  }
  if (/^otpauth(-migration)?:/i.test(text)) {
    return readOtpUrl(text);
  }
  if (EMAIL_ADDRESS.test(text) && !/^[a-z][a-z\d+.-]*:/i.test(text)) {
    return { kind: "email", text };
  }
  return isSecret(text)
    ? { kind: "secret", secret: text.replaceAll(/[\s=]/g, "").toUpperCase(), digits: 6, account: "" }
    : { kind: "text", text };
}

/**
 * Whether a text is a Base32 secret: 16 or more characters, in one word of capitals, or with digits in groups, as authenticator apps
 * show it. A sentence has no digits in its words.
 */
function isSecret(text: string): boolean {
  const characters = text.replaceAll(/[\s=]/g, "");
  return (
    /^[A-Z2-7]{16,}=*$/.test(text) ||
    (/^[a-z2-7]{16,}$/i.test(characters) &&
      /[2-7]/.test(characters) &&
      /^([a-z2-7]{4}\s+)*[a-z2-7]+=*$/i.test(text))
  );
}

/**
 * Whether a text can be a part of a secret that is being typed: it is in no link. It is one word of capitals with a digit, or a part
 * of the scheme of a link with a secret.
 */
export function mayBeSecret(text: string): boolean {
  const word = text.trim();
  return /^(?=.*[2-7])[A-Z2-7\s]{6,}=*$/i.test(word) || /^[A-Z2-7]{8,}$/.test(word) || /otpauth/i.test(word);
}

/**
 * Reads the link of an authenticator app. Only time-based codes with SHA-1 and 30 seconds have a secret that the service can use.
 * https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
function readOtpUrl(text: string): Reading {
  const none = { kind: "secret", secret: "", digits: 6, account: "" } as const;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^otpauth:\/\/totp\//i.test(text)) {
    return none;
  }
  const parameter = (name: string) => url.searchParams.get(name) ?? "";
  const isUsual =
    ["", "SHA1"].includes(parameter("algorithm").toUpperCase()) && ["", "30"].includes(parameter("period"));
  return {
    ...none,
    secret: isUsual ? parameter("secret").replaceAll(/[\s=]/g, "").toUpperCase() : "",
    digits: Number(parameter("digits")) || 6,
    account: decodeLabel(url.pathname.slice(url.pathname.lastIndexOf("/") + 1)),
  };
}

function decodeLabel(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    return label;
  }
}
