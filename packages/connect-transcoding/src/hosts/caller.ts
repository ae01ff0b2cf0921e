import { knownOptions } from "@utility-tools/http-server/portable";
import type { Caller } from "../call/caller.js";
import { SHARED_OPTIONS, type SharedOptions } from "../call/options.js";
import { createShared } from "../call/shared.js";

/**
 * Creates a caller of the routes, which needs no server: for tests, and for programs that receive requests by other means.
 *
 * Throws an UnknownOptionError, and an Error if a rule contradicts its messages or another rule.
 */
export function createCaller(options: SharedOptions): Caller {
  return createShared(knownOptions("createCaller", options, SHARED_OPTIONS)).callerOf();
}
