import { ConnectError } from "@connectrpc/connect";
import type { IncomingRequest } from "connect-transcoding";
import { ErrorInfoSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import type { Access } from "../../src/access/access.js";
import type { RequestKind } from "../../src/request-kind.js";

/** A request with the response headers that were added. */
export interface TestRequest extends IncomingRequest {
  readonly added: Record<string, string>;
  close(): void;
}

const TARGETS: Readonly<Record<RequestKind, Pick<IncomingRequest, "path" | "protocol">>> = {
  service: { path: "/v1/geoIp", protocol: "rest" },
  health: { path: "/readyz", protocol: "page" },
  reflection: { path: "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", protocol: "grpc" },
  docs: { path: "/docs", protocol: "page" },
  metrics: { path: "/metrics", protocol: "page" },
};

/** Creates a request for a method, from a fixed address by default. */
export function accessRequest(
  given: Partial<Pick<IncomingRequest, "clientAddress" | "principal" | "path" | "protocol">> & {
    readonly kind?: RequestKind;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): TestRequest {
  const { headers = {}, kind = "service", clientAddress = "192.0.2.1", principal } = given;
  const { path = TARGETS[kind].path, protocol = TARGETS[kind].protocol } = given;
  const added: Record<string, string> = {};
  const listeners: (() => void)[] = [];
  return {
    path,
    protocol,
    httpMethod: "GET",
    clientAddress,
    principal,
    added,
    header: (name) => headers[name],
    addHeader: (name, value) => {
      added[name] = name in added ? `${added[name]}, ${value}` : value;
    },
    setHeader: (name, value) => {
      added[name] = value;
    },
    onClose: (listener) => listeners.push(listener),
    close: () => {
      for (const listener of listeners) {
        listener();
      }
    },
  };
}

/** Returns the error that a hook throws; undefined if it accepts the request. Throws if the hook is asynchronous. */
export function rejectionOf(
  onRequest: Access["onRequest"],
  request: IncomingRequest,
): ConnectError | undefined {
  try {
    if (onRequest(request) !== undefined) {
      throw new Error("the hook is asynchronous");
    }
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ConnectError) {
      return thrown;
    }
    throw thrown;
  }
}

/** Returns the reason in the `google.rpc.ErrorInfo` of an error. */
export function reasonOf(error: unknown): string | undefined {
  return ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason;
}
