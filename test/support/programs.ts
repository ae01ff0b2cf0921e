import { join } from "node:path";
import { inject } from "vitest";

const folder = inject("programs");

/** The command line `utility-tools`, which test/build-programs.ts bundles from its sources. */
export const MAIN = join(folder, "main.js");

/** Returns the path of another program that test/build-programs.ts bundles. */
export function builtProgram(name: "print-openapi" | "client" | "small-service"): string {
  return join(folder, `${name}.js`);
}
