import { type IncomingRequest, methodPath } from "connect-transcoding";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "connect-transcoding/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";

/** What a request is for: a method of a tool, or something that the server itself provides. */
export type RequestKind = "service" | "health" | "reflection" | "docs" | "metrics";

const KINDS: ReadonlyMap<string, RequestKind> = new Map([
  [methodPath(Health.method.check), "health"],
  [methodPath(Health.method.watch), "health"],
  // Like reflection, it lists the names of the services.
  [methodPath(Health.method.list), "reflection"],
  [methodPath(ServerReflection.method.serverReflectionInfo), "reflection"],
  [methodPath(ServerReflectionV1Alpha.method.serverReflectionInfo), "reflection"],
  ["/healthz", "health"],
  ["/readyz", "health"],
  ["/metrics", "metrics"],
]);

/** Returns the kind of a request by its path and protocol. Pages that are not listed above are documentation. */
export function requestKind({ path, protocol }: Pick<IncomingRequest, "path" | "protocol">): RequestKind {
  return KINDS.get(path) ?? (protocol === "page" ? "docs" : "service");
}
