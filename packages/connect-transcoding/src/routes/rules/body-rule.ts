import type { DescField } from "@bufbuild/protobuf";

/** The target of the request body. `raw`: the target is a `google.api.HttpBody`, which holds the bytes as sent. */
export type BodyRule =
  | { readonly kind: "none" }
  /** `value`: the message is a well-known type with a JSON form of its own, such as a string for `Timestamp`. */
  | { readonly kind: "value"; readonly raw: false }
  | { readonly kind: "message"; readonly raw: boolean }
  | { readonly kind: "field"; readonly field: DescField; readonly raw: boolean };
