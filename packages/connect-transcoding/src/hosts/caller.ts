import { knownOptions } from "@utility-tools/http-server/portable";
import type { Caller } from "../call/caller.js";
import { createShared } from "../call/shared.js";
import { HOST_OPTIONS, type HostOptions } from "../features/options.js";
import { withFeatures } from "../features/with-features.js";

/**
 * Creates a caller of the routes, which needs no server: for tests, and for programs that receive requests by other means.
 *
 * Throws an UnknownOptionError, and an Error if a rule contradicts its messages or another rule.
 */
export function createCaller(options: HostOptions): Caller {
  return createShared(withFeatures(knownOptions("createCaller", options, HOST_OPTIONS))).callerOf();
}
