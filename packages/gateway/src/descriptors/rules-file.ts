import { fromJson } from "@bufbuild/protobuf";
import { type HttpRule, HttpSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import { parse } from "yaml";
import { problemText } from "../errors.js";

/** Reads the `http` section of a service configuration, in YAML or JSON. Throws an Error if it is invalid. */
export function readServiceRules(text: string): HttpRule[] {
  const document: unknown = parse(text);
  if (typeof document !== "object" || document === null || !("http" in document)) {
    throw new Error("the file has no section `http`");
  }
  try {
    return fromJson(HttpSchema, document.http as Parameters<typeof fromJson>[1]).rules;
  } catch (thrown) {
    throw new Error(`the section \`http\` is invalid: ${problemText(thrown)}`);
  }
}
