import { fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";

/**
 * An error with its details decoded, so that they become JSON over REST and Connect. Any other exception is returned as it is, so that its
 * message goes to the log alone.
 */
export function toClientError(thrown: unknown, registry: Registry): unknown {
  if (thrown instanceof ConnectError) {
    thrown.details = thrown.details.flatMap((detail) => decoded(detail, registry));
  }
  return thrown;
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
