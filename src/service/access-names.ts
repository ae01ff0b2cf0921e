import type { AccessNames } from "connect-transcoding-operations/access/access";
import { OPEN_PAGES } from "./pages/open-pages.js";

/** The name in traces, and the realm of API keys. */
export const SERVICE_NAME = "utility-tools";

/** The `domain` of every `google.rpc.ErrorInfo` of this service. */
export const ERROR_DOMAIN = "utilitytools";

/** How the service presents its settings for API keys and rate limits. */
export const ACCESS_NAMES: AccessNames = {
  realm: SERVICE_NAME,
  apiKeysFile: "API_KEYS_FILE",
  rateLimitStore: "RATE_LIMIT_STORE",
  openPages: OPEN_PAGES,
};
