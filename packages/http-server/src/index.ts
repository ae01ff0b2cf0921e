export { type Http1Connection, type Http1Options, serveHttp1 } from "./http1/connection.js";
export type {
  Body,
  HeaderList,
  HeaderSection,
  ResponseStream,
  ServerConnection,
  ServerRequest,
} from "./request.js";
