import { ScalarType } from "@bufbuild/protobuf";
import { trimField } from "@utility-tools/http-server/portable";
import { jsonPath, resolveFieldPath } from "../../codec/message-field.js";
import type { FieldViolation } from "../../errors/errors.js";
import type { HttpBinding } from "../rules/http-rule.js";
import { NO_VIOLATIONS } from "./controls.js";
import type { Parameter } from "./request-parameters.js";

/**
 * The name of the field for the entity tag that a client has: `etag`, of the request, or of the message in its body. Undefined for GET, and
 * for a method without one. https://google.aip.dev/154
 */
export function entityTagField({ httpMethod, body, method }: HttpBinding): string | undefined {
  const inBody = body.kind === "field" ? [`${body.field.name}.etag`] : [];
  const path = ["etag", ...inBody]
    .map((each) => resolveFieldPath(method.input, each))
    .find((each) => each?.at(-1)?.fieldKind === "scalar" && each.at(-1)?.scalar === ScalarType.STRING);
  return httpMethod === "GET" || path === undefined ? undefined : jsonPath(path);
}

/** An entity tag (RFC 9110, section 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

const INVALID: readonly FieldViolation[] = [
  { field: "If-Match", reason: "INVALID_VALUE", description: "must be one entity tag, in its quotes, or *" },
];

/**
 * Reads the header `If-Match` (RFC 9110, section 13.1.1) as a parameter that sets the field `name`: none for `*`. Undefined without the header.
 */
export function readIfMatch(
  name: string,
  ifMatch: string | undefined,
): { readonly parameters: readonly Parameter[]; readonly violations: readonly FieldViolation[] } | undefined {
  if (ifMatch === undefined) {
    return undefined;
  }
  const value = trimField(ifMatch);
  return ENTITY_TAG.test(value)
    ? { parameters: [{ name, value, source: "text" }], violations: NO_VIOLATIONS }
    : { parameters: [], violations: value === "*" ? NO_VIOLATIONS : INVALID };
}
