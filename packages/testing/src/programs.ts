import { join } from "node:path";
import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder with the programs that tests start. */
    programs: string;
  }
}

/** Returns the path of a program that build-programs.ts bundles. */
export function builtProgram(name: "log" | "connect-transcoding" | "gateway"): string {
  return join(inject("programs"), `${name}.js`);
}
