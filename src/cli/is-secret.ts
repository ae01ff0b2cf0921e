import type { DescField } from "@bufbuild/protobuf";

/** Whether a field holds what must not be repeated: its option `debug_redact` says so. */
export function isSecret(field: DescField | undefined): boolean {
  return field?.proto.options?.debugRedact === true;
}
