export {
  DEFAULT_LIMITS,
  type DroppedConnection,
  type Rejection,
  type ServerLimits,
  type TlsFiles,
  type TlsPair,
} from "one-port";
export { baseUrlKey, clientAddressKey } from "./context-keys.js";
export { codeName } from "./errors/codes.js";
export {
  createError,
  type ErrorInit,
  type FieldViolation,
  invalidArgument,
  invalidFields,
  reasonOf,
  violationsOf,
} from "./errors/errors.js";
export {
  createTranscodingAdapter,
  type NodeHandler,
  type TranscodingAdapterOptions,
  type TranscodingOptions,
} from "./node/adapter.js";
export type { IncomingRequest, Protocol, RequestObserver, RequestRecord } from "./node/exchange.js";
export type { Page } from "./node/pages.js";
export type { NodeRequest, NodeResponse } from "./node/request-body.js";
export { plainAddress } from "./node/trusted-proxies.js";
export { collectMethods, methodPath, type RegisteredMethod } from "./protocols/routes.js";
export { runInTurns } from "./protocols/run-in-turns.js";
export { createMessageBinder } from "./request/message-binder.js";
export { splitTarget } from "./request/request-path.js";
export { cacheEncodings } from "./response/cached-encodings.js";
export { encodeError, type HttpResponse } from "./response/response-encoder.js";
export {
  DEFAULT_REQUEST_BYTES,
  type MaxRequestBytes,
  type MethodOptions,
  type RequestLimit,
  requestLimit,
} from "./rules/method-options.js";
export {
  createServer,
  type TranscodingServer,
  type TranscodingServerOptions,
  type TransportOptions,
} from "./server/server.js";
export { healthRoutes, type ServerHealth } from "./services/health.js";
export { reflectionRoutes } from "./services/reflection.js";
