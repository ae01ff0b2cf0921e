import { fromBinary } from "@bufbuild/protobuf";
import {
  type MigrationAccount,
  type MigrationPayload,
  MigrationPayloadSchema,
} from "@utility-tools/protos/utilitytools/migration/v1/migration_pb.js";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { encodeBase32 } from "./base32.js";
import { type AccountResult, exportedAccount, unsupported } from "./exported-account.js";

/** The accounts of one link of an export. Large exports have several links. */
export interface OtpExport {
  /** The accounts in their order; a failure for each that has no key URI. */
  readonly accounts: readonly AccountResult[];
  /** The place of this link, from 0. */
  readonly index: number;
  /** The number of links. */
  readonly links: number;
  /** What the links of an export have in common. */
  readonly id: number;
}

/** Why a text is not an export. Descriptions repeat no part of it. */
export type OtpExportFailure = Failure<"INVALID_EXPORT" | "EXPORT_TOO_LONG">;

/** The length limit of a link in characters. Google Authenticator puts ten accounts into one, less than 2,000 characters. */
const MAX_LINK_LENGTH = 16_384;

/**
 * Reads a link of an export of Google Authenticator: `otpauth-migration://offline?data=…`, the text of its QR code. The data is a
 * `MigrationPayload` in base64.
 */
export function readOtpExport(text: string): Result<OtpExport, OtpExportFailure> {
  const link = text.trim();
  if (link.length > MAX_LINK_LENGTH) {
    return fail("EXPORT_TOO_LONG", `must have at most ${MAX_LINK_LENGTH} characters, has ${link.length}`);
  }
  const [, query] = /^otpauth-migration:\/\/offline\/?\?([^#]*)$/i.exec(link) ?? [];
  const payload = payloadOf(new URLSearchParams(query).get("data") ?? "");
  if (payload === undefined || payload.accounts.length === 0) {
    return fail(
      "INVALID_EXPORT",
      "must be a complete link of Google Authenticator's export: otpauth-migration://offline?data=…",
    );
  }
  const { accounts, batchIndex, batchSize, batchId } = payload;
  return ok({
    accounts: accounts.map(readAccount),
    index: batchIndex,
    links: Math.max(1, batchSize),
    id: batchId,
  });
}

/** Decodes base64 with or without percent-encoding of its `+`, which is a space in a query. */
function payloadOf(text: string): MigrationPayload | undefined {
  try {
    const bytes = atob(text.replaceAll(" ", "+").replaceAll("-", "+").replaceAll("_", "/"));
    return fromBinary(
      MigrationPayloadSchema,
      Uint8Array.from(bytes, (character) => character.charCodeAt(0)),
    );
  } catch {
    return undefined;
  }
}

/** The values of enums; 0 is not specified, and means the default. */
const ALGORITHMS = ["SHA1", "SHA1", "SHA256", "SHA512"] as const;
const DIGITS = [6, 6, 8, 7] as const;
const TYPES = [undefined, "hotp", "totp"] as const;

function readAccount(account: MigrationAccount): AccountResult {
  const digits = DIGITS[account.digits];
  const type = TYPES[account.type];
  if (digits === undefined) {
    return unsupported("has codes with another number of digits than 6, 7 and 8");
  }
  if (type === undefined) {
    return unsupported("is neither time-based nor counter-based");
  }
  return exportedAccount({
    type,
    ...namesOf(account.name, account.issuer),
    secret: encodeBase32(account.secret),
    algorithm: ALGORITHMS[account.algorithm] ?? "",
    digits,
    ...(type === "totp" ? { period: 30 } : { counter: Number(account.counter) }),
  });
}

/** Splits a name that begins with the issuer, as the label of a key URI does: `Example:jane`. */
function namesOf(name: string, issuer: string): { readonly label: string; readonly issuer: string } {
  const colon = name.indexOf(":");
  const prefix = name.slice(0, Math.max(0, colon));
  return colon >= 0 && (issuer === "" || issuer === prefix)
    ? { label: name.slice(colon + 1).trimStart(), issuer: prefix }
    : { label: name, issuer };
}
