export { baseUrlKey, clientAddressKey } from "./context-keys.js";
export * from "./errors/code-name.js";
export {
  createError,
  type ErrorInit,
  type FieldViolation,
  invalidArgument,
  invalidFields,
} from "./errors/errors.js";
export * from "./errors/rpc-error.js";
export * from "./node/adapter.js";
export * from "./node/connect.js";
export * from "./node/exchange.js";
export * from "./node/fallback.js";
export * from "./node/grpc.js";
export * from "./node/handler-context.js";
export { Http1Exchange } from "./node/http1-exchange.js";
export * from "./node/methods.js";
export * from "./node/pages.js";
export * from "./node/rest.js";
export { collectMethods, type RegisteredMethod } from "./node/routes.js";
export * from "./node/trusted-proxies.js";
export { createMessageBinder } from "./request/message-binder.js";
export { splitTarget } from "./request/request-path.js";
export { cacheEncodings } from "./response/cached-encodings.js";
export * from "./response/kept-response.js";
export * from "./response/response-encoder.js";
export {
  DEFAULT_REQUEST_BYTES,
  longestRequest,
  type RequestLimit,
  requestLimit,
} from "./rules/method-options.js";
export * from "./server/server.js";
export * from "./server/transport-options.js";
export * from "./services/health.js";
export * from "./services/reflection.js";
