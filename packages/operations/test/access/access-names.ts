import type { AccessNames } from "../../src/access/access.js";

/** How a server presents its settings. */
export const ACCESS_NAMES: AccessNames = {
  realm: "utility-tools",
  apiKeysFile: "API_KEYS_FILE",
  rateLimitStore: "RATE_LIMIT_STORE",
};
