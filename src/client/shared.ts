// What both entries of the package have, for Node and for browsers.
export { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
export { SERVICES } from "../../gen/services.js";
export type { ApiKey } from "./api-key.js";
export type { ClientOptions, TransportOptions } from "./client-options.js";
export { createClientOver, type UtilityToolsClient } from "./client-over.js";
export { methodOf, type UnaryMethod } from "./method-of.js";
export { type CallError, readError, type Violation } from "./read-error.js";
export type { RetryPolicy } from "./retry-policy.js";
