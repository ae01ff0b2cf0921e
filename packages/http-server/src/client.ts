export { ClientConnection, type ConnectionListener } from "./http2/client/connection.js";
export type { ClientStream, CloseReason, ResponseHead, ResponseListener } from "./http2/client/stream.js";
export { ErrorCode } from "./http2/frames/frames.js";
export { encodePseudoHeaders, type PseudoHeaders } from "./http2/hpack/encoder.js";
export type { HeaderList, HeaderSection } from "./request.js";
