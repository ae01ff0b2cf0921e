export { copyOf } from "./core/copy-of.js";
export { CONNECTION_HEADERS, METHODS } from "./core/field-values.js";
export { httpDate } from "./core/http-date.js";
export {
  type FormatRejection,
  plainRejection,
  type Rejection,
  type RejectionReason,
} from "./core/rejection.js";
export { clientQueue, createQueue, type Queue, type Turns, turns, type Work } from "./core/turns.js";
export { UnknownOptionError } from "./known-options.js";
export {
  DEFAULT_LIMITS,
  type DroppedConnection,
  type ServerLimits,
  type ServerOptions,
  type TlsFiles,
  type TlsPair,
} from "./options.js";
export type {
  Body,
  BodyReader,
  BodyWriter,
  HeaderList,
  HeaderSection,
  ServerConnection,
  ServerRequest,
} from "./request.js";
export { createHttpServer, type HttpServer } from "./server.js";
