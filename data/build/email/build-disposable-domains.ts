import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PackageRecord } from "../countries/read-packages.js";
import { installPythonPackage } from "./install-python-package.js";

/** The date of the package, which it does not contain: that of the files in its archive. Change it with the version. */
const PACKAGE_DATE = "2026-11-09";

/** The list of disposable domains, and its record for `SOURCES.json`. */
export interface DisposableDomains {
  /** One domain per line, sorted. */
  readonly text: string;
  readonly record: PackageRecord & { readonly date: string };
}

const FILE = "__init__.py";

/** Reads the list from the Python package. Throws an Error if its form has changed. */
export function buildDisposableDomains(): DisposableDomains {
  const { name, version, folder } = installPythonPackage("MIT");
  const content = readFileSync(join(folder, FILE), "utf8");
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
      package: name,
      version,
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
