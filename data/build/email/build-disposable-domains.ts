import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PackageRecord } from "../countries/read-packages.js";
import { installPythonPackages } from "../install-python-packages.js";

const NAME = "disposable-email-domains";
const VERSION = "0.0.293";

/** The date of the package, which it does not contain: that of the files in its archive. */
const PACKAGE_DATE = "2026-11-09";

/** The list of disposable domains, and its record for `SOURCES.json`. */
export interface DisposableDomains {
  /** One domain per line, sorted. */
  readonly text: string;
  readonly record: PackageRecord & { readonly date: string };
}

const MODULE = "disposable_email_domains";
const FILE = "__init__.py";

/** Reads the list from the Python package. Throws an Error if its form or the license of the package has changed. */
export function buildDisposableDomains(): DisposableDomains {
  const folder = installPythonPackages();
  const info = join(folder, `${MODULE}-${VERSION}.dist-info`);
  const license = readFileSync(join(info, "licenses", "LICENSE.txt"), "utf8");
  if (!license.startsWith("The MIT License")) {
    throw new Error(`the license of ${NAME} is no longer MIT: review it`);
  }
  const content = readFileSync(join(folder, MODULE, FILE), "utf8");
  const [, blocklist = ""] = /^blocklist = \{\n([^}]*)\}$/m.exec(content) ?? [];
  const domains = blocklist
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /^ {4}'([a-z0-9-]+(?:\.[a-z0-9-]+)+)',$/.exec(line)?.[1] ?? unexpected(line));
  if (domains.length < 5_000) {
    throw new Error(`the list has only ${domains.length} domains`);
  }
  return {
    text: `${domains.toSorted().join("\n")}\n`,
    record: {
      package: NAME,
      version: VERSION,
      // The list is CC0-1.0, the package MIT.
      license: "CC0-1.0 AND MIT",
      name: "Disposable email domains",
      publisher: "disposable-email-domains",
      url: "https://github.com/disposable-email-domains/disposable-email-domains",
      attribution: "Copyright (c) 2016 Dustin Ingram",
      date: PACKAGE_DATE,
      files: [{ path: FILE, files: 1, sha256: createHash("sha256").update(content).digest("hex") }],
    },
  };
}

function unexpected(line: string): never {
  throw new Error(`the line ${JSON.stringify(line)} of ${FILE} is no domain`);
}
