import { fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";

/** An error with its details decoded, so that they become JSON over REST and Connect. */
export function toClientError(thrown: unknown, registry: Registry): ConnectError {
  const error = ConnectError.from(thrown);
  error.details = error.details.flatMap((detail) => decoded(detail, registry));
  return error;
}

/**
 * A detail with its type. One of an unknown type stays as it is; one that is malformed is left out, as it cannot be written.
 */
function decoded(detail: ConnectError["details"][number], registry: Registry): ConnectError["details"] {
  const desc = "desc" in detail ? undefined : registry.getMessage(detail.type);
  if (desc === undefined || "desc" in detail) {
    return [detail];
  }
  try {
    const message = fromBinary(desc, detail.value);
    try {
      // The writer of errors knows no types within a google.protobuf.Any.
      toJson(desc, message);
      return [{ desc, value: message }] as ConnectError["details"];
    } catch {
      return [detail];
    }
  } catch {
    return [];
  }
}
