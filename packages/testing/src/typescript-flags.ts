import { join } from "node:path";

/** The flags of Node that run a program of TypeScript. */
export const TYPESCRIPT_FLAGS = ["--import", join(import.meta.dirname, "..", "typescript.mjs")];

/** The arguments of Node that run shelf-server.ts. */
export const SHELF_SERVER = [...TYPESCRIPT_FLAGS, join(import.meta.dirname, "shelf-server.ts")];
