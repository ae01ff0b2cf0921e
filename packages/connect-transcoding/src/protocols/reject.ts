import type { ConnectError } from "@connectrpc/connect";
import { NO_SNIFFING, type OutgoingResponse, outgoingResponse } from "../routes/encoding/representation.js";
import { connectErrorResponse, endOfStream } from "./connect/error.js";
import type { CallHead, CallProtocol } from "./format.js";
import { grpcStatus } from "./grpc/error.js";
import { mcpErrorResponse } from "./mcp/error.js";
import type { ErrorWriter } from "./rest/error.js";

/** The response with an error in the protocol of a request that no method receives. */
export function rejectionResponse(
  head: CallHead,
  protocol: CallProtocol | "mcp" | "page",
  error: ConnectError,
  errors: ErrorWriter,
): OutgoingResponse {
  const type = head.header("content-type") ?? "";
  switch (protocol) {
    case "grpc":
      return trailersOnly(type === "" ? "application/grpc" : type, error);
    case "grpc-web":
      return trailersOnly(grpcWebType(head, type), error);
    case "connect":
      return type.startsWith("application/connect+")
        ? outgoingResponse(200, ["content-type", type, ...NO_SNIFFING], endOfStream(error, []))
        : connectErrorResponse(error);
    case "mcp":
      return mcpErrorResponse(error);
    case "rest":
    case "page":
      return errors.respond(error, head);
  }
}

/** A single header block, which gRPC calls Trailers-Only. */
function trailersOnly(contentType: string, error: ConnectError): OutgoingResponse {
  const headers = ["content-type", contentType, ...NO_SNIFFING, ...grpcStatus(error)];
  return { status: 200, headers, body: "", length: 0 };
}

const FORM = /^application\/grpc-web(-text)?/i;

/** The type of the request in the form, text or binary, that the client accepts. */
function grpcWebType(head: CallHead, type: string): string {
  const accepted = FORM.exec(head.header("accept") ?? "") ?? FORM.exec(type);
  return type.replace(FORM, `application/grpc-web${accepted?.[1] ?? ""}`);
}
