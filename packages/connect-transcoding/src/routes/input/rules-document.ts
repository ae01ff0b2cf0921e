import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { HttpSchema } from "../../../gen/google/api/http_pb.js";
import type { HttpRules } from "../rules/http-rules.js";

/**
 * Reads the rules in a `google.api.Http`, or in the `http` section of a service configuration, of which the other sections are ignored.
 * Throws an Error if they are invalid.
 *
 * @param document what JSON.parse or a parser of YAML returns
 */
export function readRules(document: unknown): HttpRules {
  if (typeof document !== "object" || document === null) {
    throw new Error("not an object");
  }
  const isConfiguration = "http" in document || "type" in document;
  const http: unknown = isConfiguration ? ("http" in document ? document.http : undefined) : document;
  if (http === undefined) {
    throw new Error("the file has no section `http`");
  }
  // A section without content is null in YAML.
  return fromJson(HttpSchema, (http ?? {}) as JsonValue).rules;
}
