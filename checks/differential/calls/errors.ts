import { create } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { PublisherSchema } from "../../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import type { ErrorScript } from "./script.js";

/** Creates the error of a script. */
export function errorOf({ kind, code, message, metadata, details }: ErrorScript): unknown {
  if (kind !== "connect") {
    return kind === "error" ? new Error(message) : message;
  }
  const headers = new Headers();
  for (const [name, value] of metadata) {
    headers.append(name, value);
  }
  const error = new ConnectError(message, code, headers);
  error.details = details.map((each) =>
    each === "message"
      ? { desc: PublisherSchema, value: create(PublisherSchema, { name: message, parent: {} }) }
      : { type: "library.v1.Loan", value: Uint8Array.of(0x10, 7) },
  );
  return error;
}
