import { createRequire } from "node:module";
import { dirname } from "node:path";

const require = createRequire(import.meta.url);

/** The folder of the installed package, which has the data and the built pages. */
export const PACKAGE_FOLDER = dirname(require.resolve("#package.json"));

/** Returns the version of the package. */
export function packageVersion(): string {
  const { version }: { version: string } = require("#package.json");
  return version;
}

/** Returns what the product is, in sentences. */
export function packageDescription(): string {
  const { description }: { description: string } = require("#package.json");
  return description;
}

/** Returns the home page of the package; undefined if it has none. */
export function packageHomepage(): string | undefined {
  const { homepage }: { homepage?: string } = require("#package.json");
  return homepage;
}
