import { Code, ConnectError } from "@connectrpc/connect";
import { utf8TypeOf } from "../../routes/binding/request-parameters.js";
import { negotiate } from "../compression.js";
import { type CallHead, checkedTimeout, type RpcMethod } from "../format.js";
import type { Accepted } from "../prefixed-format.js";
import { GrpcFormat } from "./response.js";

const TYPE = /^application\/grpc(?:\+(?:proto|(json)))?$/;

/** How a call in gRPC is read and written; undefined for another content type. https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md */
export function acceptGrpc(head: CallHead, method: RpcMethod): GrpcFormat | undefined {
  const type = head.header("content-type") ?? "";
  // Comparing the usual types is faster than a regular expression.
  const match =
    type === "application/grpc" || type === "application/grpc+proto"
      ? undefined
      : TYPE.exec(utf8TypeOf(type) ?? "");
  return match === null ? undefined : new GrpcFormat(readGrpcHeaders(head, method, match?.[1] !== undefined));
}

/** What gRPC and gRPC-Web read in the headers of a request. */
export function readGrpcHeaders(head: CallHead, method: RpcMethod, isJson: boolean): Accepted {
  const codings = negotiate(
    method.codings,
    head.header("grpc-encoding"),
    head.header("grpc-accept-encoding"),
    "grpc-accept-encoding",
  );
  const timeout = checkedTimeout(parseGrpcTimeout(head.header("grpc-timeout")), method.served);
  return { method, codec: isJson ? method.codecs.json : method.codecs.proto, codings, timeout };
}

const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Parses `grpc-timeout` to milliseconds; a ConnectError if it is malformed, undefined without it. */
export function parseGrpcTimeout(value: string | undefined): number | ConnectError | undefined {
  if (value === undefined) {
    return undefined;
  }
  const [, amount, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? [];
  return amount === undefined
    ? new ConnectError(`protocol error: invalid grpc timeout value: ${value}`, Code.InvalidArgument)
    : Number(amount) * (UNITS[unit] ?? 1);
}
