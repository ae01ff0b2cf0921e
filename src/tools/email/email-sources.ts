import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import type { DataSource } from "../tool.js";

/** Why the sources of the lists cannot be read. The description continues a sentence that begins with the file. */
export type EmailSourceFailure = Failure<"BROKEN_EMAIL_SOURCES">;

/** What no package has, written for this project. Its date is their version: nothing newer can be downloaded. */
const OWN_LISTS: DataSource = {
  name: "More mailbox providers and role names",
  publisher: "Utility Tools",
  url: "",
  license: "Apache-2.0",
  attribution: "",
  version: "2026-11-28",
  builtAt: undefined,
};

const KEY = "email/disposable-domains.txt";
const TEXTS = ["name", "publisher", "url", "license", "attribution", "version"] as const;

type SourceRecord = Readonly<Record<(typeof TEXTS)[number] | "date", string>>;

/**
 * Reads the sources of the installed lists from the text of `data/SOURCES.json`: first the project's own, then the disposable domains,
 * which can be downloaded, then the others.
 */
export function parseEmailSources(text: string): Result<readonly DataSource[], EmailSourceFailure> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return fail("BROKEN_EMAIL_SOURCES", "is not JSON");
  }
  const files = Object.entries((json ?? {}) as Record<string, readonly SourceRecord[]>);
  const [record] = files.find(([file]) => file === KEY)?.[1] ?? [];
  const others = files
    .filter(([file]) => file.startsWith("email/") && file !== KEY)
    .flatMap(([, each]) => each);
  const isComplete = [record, ...others].every((each) =>
    TEXTS.every((name) => typeof each?.[name] === "string"),
  );
  if (record === undefined || !isComplete || typeof record.date !== "string") {
    return fail("BROKEN_EMAIL_SOURCES", `has no complete record of ${KEY}`);
  }
  const disposable = { ...sourceOf(record), builtAt: new Date(record.date), isFixed: true } as const;
  const byName = new Map(others.map((each) => [each.name, { ...sourceOf(each), builtAt: undefined }]));
  return ok([OWN_LISTS, disposable, ...byName.values()]);
}

function sourceOf({ name, publisher, url, license, attribution, version }: SourceRecord) {
  return { name, publisher, url, license, attribution, version };
}
