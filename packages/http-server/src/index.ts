export { ByteBudget } from "./byte-budget.js";
export { CONNECTION_HEADERS } from "./connection-headers.js";
export { type Http1Connection, type Http1Options, serveHttp1 } from "./http1/connection.js";
export { OutputBuffer } from "./http2/output-buffer.js";
export { type ServedHttp2Connection, serveHttp2 } from "./http2/serve-http2.js";
export type { ConnectionOptions } from "./options.js";
export type {
  Body,
  HeaderList,
  HeaderSection,
  ResponseStream,
  ServerConnection,
  ServerRequest,
} from "./request.js";
