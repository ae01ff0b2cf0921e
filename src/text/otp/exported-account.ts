import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { type KeyUriInit, keyUri } from "./key-uri.js";
import { parseAlgorithm } from "./options.js";
import { parseKeyUri } from "./parse-key-uri.js";

/** An account of an export. */
export interface ExportedAccount extends KeyUriInit {
  readonly type: "totp" | "hotp";
  /** The key URI, which contains the secret. */
  readonly uri: string;
  /** Why this program computes no codes of it, although other programs may. "" if it does. */
  readonly problem: string;
}

/** An account, or why it has no key URI. Descriptions repeat no part of the export. */
export type AccountResult = Result<ExportedAccount, Failure<"UNSUPPORTED_ACCOUNT">>;

/** Returns an account with its key URI. */
export function exportedAccount(init: KeyUriInit & { readonly type: "totp" | "hotp" }): AccountResult {
  const { secret, algorithm } = init;
  if (secret === "") {
    return unsupported("has no secret");
  }
  if (!parseAlgorithm(algorithm).ok) {
    return unsupported("uses another algorithm than SHA1, SHA256 and SHA512");
  }
  const uri = keyUri(init);
  const parsed = parseKeyUri(uri);
  return ok({ ...init, uri, problem: parsed.ok ? "" : parsed.failure.description });
}

export function unsupported(description: string): AccountResult {
  return fail("UNSUPPORTED_ACCOUNT", description);
}
