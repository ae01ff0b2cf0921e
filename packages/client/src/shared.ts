// What both entries of the package have, for Node and for browsers.
export { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
export { SERVICES } from "@utility-tools/protos/services.js";
export { type ApiKey, isApiKey, NO_KEY } from "./api-key.js";
export { type ClientOptions, DEFAULT_TIMEOUT, type TransportOptions } from "./client-options.js";
export { createClientOver, type UtilityToolsClient } from "./client-over.js";
export { methodOf, serviceNameOf, type UnaryMethod } from "./method-of.js";
export { type CallError, readError, type Violation } from "./read-error.js";
export type { RetryPolicy } from "./retry-policy.js";
