import type { Registry } from "@bufbuild/protobuf";

/** What can be set about how requests are read. */
export interface BindingOptions {
  /** What to do with parameters, and members of JSON objects, that no method on the path knows. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}
