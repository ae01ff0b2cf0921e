export {
  DEFAULT_LIMITS,
  type DroppedConnection,
  type Rejection,
  type ServerLimits,
  type TlsFiles,
  type TlsPair,
  UnknownOptionError,
} from "@utility-tools/http-server";
export { plainAddress } from "@utility-tools/http-server/portable";
export type { Caller, CallerOptions, CallerResponse } from "./call/caller.js";
export { baseUrlKey, clientAddressKey, httpStatusKey } from "./call/context-keys.js";
export type { Page, PageRequest, PostPage, PostRequest } from "./call/http/pages.js";
export type {
  IncomingRequest,
  Protocol,
  RawRequest,
  Relay,
  RequestObserver,
  RequestRecord,
} from "./call/http/request-record.js";
export type { SharedOptions, TranscodingOptions } from "./call/options.js";
export { runInTurns } from "./call/run-in-turns.js";
export type { JsonForm } from "./codec/json/form.js";
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
export type { MapError } from "./errors/to-error.js";
export type { ApiInfo, Features, HostOptions } from "./features/options.js";
export { createCaller } from "./hosts/caller.js";
export {
  createTranscodingAdapter,
  type NodeHandler,
  type TranscodingAdapterOptions,
} from "./hosts/node.js";
export type { NodeRequest, NodeResponse } from "./hosts/node-request.js";
export {
  createServer,
  type TranscodingServer,
  type TranscodingServerOptions,
  type TransportOptions,
} from "./hosts/server.js";
export type { MethodOptions } from "./proto-options.js";
export { EnvelopeReader, PREFIX_BYTES, prefixLength, writePrefix } from "./protocols/envelope.js";
export { grpcStatus } from "./protocols/grpc/error.js";
export { parseGrpcTimeout } from "./protocols/grpc/format.js";
export { grpcWebTrailers } from "./protocols/grpc-web/format.js";
export { type EncodeError, encodeError, type FailedRequest, type RestError } from "./protocols/rest/error.js";
export { type ErrorForm, grpcGatewayErrors, problemDetails } from "./protocols/rest/error-forms.js";
export { createMessageBinder } from "./routes/binding/message-binder.js";
export { splitTarget } from "./routes/binding/request-path.js";
export { cacheEncodings } from "./routes/encoding/cached-encodings.js";
export type { HttpResponse } from "./routes/encoding/response-encoder.js";
export type { RequestGate, RouteOptions } from "./routes/route-options.js";
export {
  DEFAULT_REQUEST_BYTES,
  type MaxRequestBytes,
  type RequestLimit,
  requestLimit,
} from "./routes/rules/request-limit.js";
export {
  collectMethods,
  methodPath,
  type RegisteredMethod,
  type TranscodingRouter,
} from "./routes/served-methods.js";
export { applyUpdateMask } from "./services/apply-update-mask.js";
export { healthRoutes, type ServerHealth } from "./services/health.js";
export { reflectionRoutes } from "./services/reflection.js";
