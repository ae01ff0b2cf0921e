import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { encodeBase32 } from "./base32.js";
import { type KeyUriInit, keyUri } from "./key-uri.js";
import { readWireFields, type WireField } from "./wire-reader.js";

/** An account of an export. */
export interface ExportedAccount extends KeyUriInit {
  readonly type: "totp" | "hotp";
  /** The key URI, which contains the secret. */
  readonly uri: string;
}

/** The accounts of one link of an export. Large exports have several links. */
export interface OtpExport {
  /** The accounts in their order; a failure for each that has no key URI. */
  readonly accounts: readonly Result<ExportedAccount, Failure<"UNSUPPORTED_ACCOUNT">>[];
  /** The place of this link, from 0. */
  readonly index: number;
  /** The number of links. */
  readonly links: number;
}

/** Why a text is not an export. Descriptions repeat no part of it. */
export type OtpExportFailure = Failure<"INVALID_EXPORT" | "EXPORT_TOO_LONG">;

/** The length limit of a link in characters. Google Authenticator puts ten accounts into one, less than 2,000 characters. */
const MAX_LINK_LENGTH = 16_384;

/** Whether a text is meant as a link of an export. */
export function isOtpExport(text: string): boolean {
  return /^\s*otpauth-migration:/i.test(text);
}

/**
 * Reads a link of an export of Google Authenticator: `otpauth-migration://offline?data=…`, the text of its QR code. The data is a
 * protobuf message in base64, whose format is not published; several programs agree on these fields:
 *
 * - payload: accounts = 1, batch_size = 3, batch_index = 4
 * - account: secret = 1, name = 2, issuer = 3, algorithm = 4, digits = 5, type = 6, counter = 7
 */
export function readOtpExport(text: string): Result<OtpExport, OtpExportFailure> {
  const link = text.trim();
  if (link.length > MAX_LINK_LENGTH) {
    return fail("EXPORT_TOO_LONG", `must have at most ${MAX_LINK_LENGTH} characters, has ${link.length}`);
  }
  const [, query] = /^otpauth-migration:\/\/offline\/?\?([^#]*)$/i.exec(link) ?? [];
  const payload = bytesOf(new URLSearchParams(query).get("data") ?? "");
  const fields = payload && readWireFields(payload);
  if (fields === undefined || fields.length === 0) {
    return fail(
      "INVALID_EXPORT",
      "must be a complete link of Google Authenticator's export: otpauth-migration://offline?data=…",
    );
  }
  const accounts = fields.flatMap(({ number, value }) =>
    number === 1 && typeof value === "object" ? [readAccount(value)] : [],
  );
  return ok({ accounts, index: numberIn(fields, 4), links: Math.max(1, numberIn(fields, 3)) });
}

/** Decodes base64 with or without percent-encoding of its `+`, which is a space in a query. */
function bytesOf(text: string): Uint8Array | undefined {
  try {
    const bytes = atob(text.replaceAll(" ", "+").replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** The values of enums; 0 is not specified, and means the default. */
const ALGORITHMS = ["SHA1", "SHA1", "SHA256", "SHA512"] as const;
const DIGITS = [6, 6, 8] as const;
const TYPES = [undefined, "hotp", "totp"] as const;

function readAccount(bytes: Uint8Array): Result<ExportedAccount, Failure<"UNSUPPORTED_ACCOUNT">> {
  const unsupported = (description: string) => fail("UNSUPPORTED_ACCOUNT", description);
  const fields = readWireFields(bytes);
  if (fields === undefined) {
    return unsupported("is damaged");
  }
  const secret = encodeBase32(bytesIn(fields, 1));
  const algorithm = ALGORITHMS[numberIn(fields, 4)];
  const digits = DIGITS[numberIn(fields, 5)];
  const type = TYPES[numberIn(fields, 6)];
  if (secret === "") {
    return unsupported("has no secret");
  }
  if (algorithm === undefined) {
    return unsupported("uses another algorithm than SHA1, SHA256 and SHA512");
  }
  if (digits === undefined) {
    return unsupported("has codes with another number of digits than 6 and 8");
  }
  if (type === undefined) {
    return unsupported("is neither time-based nor counter-based");
  }
  const account = {
    type,
    ...namesOf(textIn(fields, 2), textIn(fields, 3)),
    secret,
    algorithm,
    digits,
    ...(type === "totp" ? { period: 30 } : { counter: numberIn(fields, 7) }),
  };
  return ok({ ...account, uri: keyUri(account) });
}

/** Splits a name that begins with the issuer, as the label of a key URI does: `Example:jane`. */
function namesOf(name: string, issuer: string): { readonly label: string; readonly issuer: string } {
  const colon = name.indexOf(":");
  const prefix = name.slice(0, Math.max(0, colon));
  return colon >= 0 && (issuer === "" || issuer === prefix)
    ? { label: name.slice(colon + 1).trimStart(), issuer: prefix }
    : { label: name, issuer };
}

function lastOf(fields: readonly WireField[], number: number): WireField["value"] | undefined {
  return fields.findLast((field) => field.number === number)?.value;
}

function numberIn(fields: readonly WireField[], number: number): number {
  const value = lastOf(fields, number);
  return typeof value === "bigint" ? Number(value) : 0;
}

function bytesIn(fields: readonly WireField[], number: number): Uint8Array {
  const value = lastOf(fields, number);
  return typeof value === "object" ? value : new Uint8Array();
}

/** Reads a text. Lone bytes that are no UTF-8 become U+FFFD. */
function textIn(fields: readonly WireField[], number: number): string {
  return new TextDecoder().decode(bytesIn(fields, number));
}
