import { join } from "node:path";

/** The flags of Node that run a program of TypeScript. */
export const TYPESCRIPT_FLAGS = ["--import", join(import.meta.dirname, "..", "typescript.mjs")];
