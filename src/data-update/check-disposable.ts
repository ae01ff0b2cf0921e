import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { parseDomains } from "../tools/email/email-lists.js";
import { loadInstalledLists } from "../tools/email/load-email.js";

/** A list that passed the checks. */
interface CheckedList {
  readonly builtAt: Date;
}

/** Domains that every list of disposable domains has. */
const KNOWN_DOMAINS = [
  "mailinator.com",
  "guerrillamail.com",
  "yopmail.com",
  "10minutemail.com",
  "trashmail.com",
];

/** The number of domains, relative to that of the present list. Lists grow. */
const MIN_DOMAINS = 0.75;

/**
 * Checks a list of disposable domains before it is used: it is a list of domains with the best-known ones, without large mailbox
 * providers, and not much smaller than the present one. Resolves to undefined if it is the present list.
 *
 * @param present the list in the data folder; undefined: there is none, and the installed one is in use
 * @param lastModified the date that the publisher has given; may be empty
 */
export async function checkDisposable(
  bytes: Buffer,
  present: Buffer | undefined,
  lastModified: string,
): Promise<Result<CheckedList | undefined, Failure<"INVALID_DOWNLOAD">>> {
  if (present?.equals(bytes)) {
    return ok(undefined);
  }
  const installed = await loadInstalledLists();
  if (!installed.ok) {
    throw new Error(installed.failure.description);
  }
  const { disposable, commonProviders } = installed.value.lists;
  const domains = parseDomains(bytes.toString("utf8"));
  if (!domains.ok) {
    return fail("INVALID_DOWNLOAD", `has a file that ${domains.failure.description}`);
  }
  const missing = KNOWN_DOMAINS.filter((domain) => !domains.value.has(domain));
  if (missing.length > 1) {
    return fail("INVALID_DOWNLOAD", `has a list without ${missing.join(", ")}`);
  }
  const provider = [...commonProviders].find((domain) => domains.value.has(domain));
  if (provider !== undefined) {
    return fail("INVALID_DOWNLOAD", `has a list with the mailbox provider ${provider}`);
  }
  const before = present === undefined ? undefined : parseDomains(present.toString("utf8"));
  const count = before?.ok ? before.value.size : disposable.size;
  if (domains.value.size < count * MIN_DOMAINS) {
    return fail(
      "INVALID_DOWNLOAD",
      `has a list of ${domains.value.size} domains, much less than the present one with ${count}`,
    );
  }
  const date = Date.parse(lastModified);
  return ok({ builtAt: Number.isNaN(date) ? new Date() : new Date(date) });
}
