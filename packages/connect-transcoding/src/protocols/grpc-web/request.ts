import { utf8TypeOf } from "../../routes/binding/request-parameters.js";
import type { CallHead, RpcMethod } from "../format.js";
import { readGrpcHeaders } from "../grpc/request.js";
import { GrpcWebFormat } from "./response.js";

const TYPE = /^application\/grpc-web(-text)?(?:\+(?:proto|(json)))?$/;
const ACCEPTED = /^application\/grpc-web(-text)?/i;

/** How a call in gRPC-Web is read and written; undefined for another content type. https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-WEB.md */
export function acceptGrpcWeb(head: CallHead, method: RpcMethod): GrpcWebFormat | undefined {
  const match = TYPE.exec(utf8TypeOf(head.header("content-type") ?? "") ?? "");
  if (match === null) {
    return undefined;
  }
  // The response has the form that `Accept` begins with, or else that of the request.
  const accepted = ACCEPTED.exec(head.header("accept") ?? "") ?? match;
  const form = { takesText: match[1] !== undefined, givesText: accepted[1] !== undefined };
  return new GrpcWebFormat(form, readGrpcHeaders(head, method, match[2] !== undefined));
}
