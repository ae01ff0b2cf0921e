import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import type { DataSource } from "../tool.js";

/** Why the sources of the lists cannot be read. The description continues a sentence that begins with the file. */
export type EmailSourceFailure = Failure<"BROKEN_EMAIL_SOURCES">;

/** The lists that are written for this project. Their date is their version: nothing newer can be downloaded. */
const OWN_LISTS: DataSource = {
  name: "Mailbox providers, role names and misspelled domains",
  publisher: "Utility Tools",
  url: "",
  license: "Apache-2.0",
  attribution: "",
  version: "2026-11-23",
  builtAt: undefined,
};

const KEY = "email/disposable-domains.txt";
const TEXTS = ["name", "publisher", "url", "license", "attribution", "version", "date"] as const;

/** Reads the sources of the installed lists from the text of `data/SOURCES.json`: first the project's own, then the disposable domains. */
export function parseEmailSources(text: string): Result<readonly DataSource[], EmailSourceFailure> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return fail("BROKEN_EMAIL_SOURCES", "is not JSON");
  }
  const records = (json as Partial<Record<string, unknown>> | null)?.[KEY];
  const record: unknown = Array.isArray(records) ? records[0] : undefined;
  const texts = record as Readonly<Record<(typeof TEXTS)[number], string>> | undefined;
  if (texts === undefined || !TEXTS.every((name) => typeof texts[name] === "string")) {
    return fail("BROKEN_EMAIL_SOURCES", `has no complete record of ${KEY}`);
  }
  const { date, name, publisher, url, license, attribution, version } = texts;
  const disposable = { name, publisher, url, license, attribution, version, builtAt: new Date(date) };
  return ok([OWN_LISTS, { ...disposable, isFixed: true }]);
}
