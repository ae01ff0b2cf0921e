import type { DescMessage } from "@bufbuild/protobuf";
import { type FieldPath, protoPath, resolveFieldPath } from "./field-path.js";
import type { BodyRule } from "./http-rule.js";
import type { PathTemplate } from "./path-template.js";

/**
 * Checks that a template's variables are scalar or enum fields of the request, each its own, that a request can have
 * together, and that the body does not fill them as well. Throws an Error that names the field otherwise.
 */
export function checkPathVariables(input: DescMessage, { variables }: PathTemplate, body: BodyRule): void {
  const paths = variables.map(({ fieldPath }) => resolveVariable(input, fieldPath));
  for (const [index, path] of paths.entries()) {
    const name = protoPath(path);
    for (const other of paths.slice(0, index)) {
      if (protoPath(other) === name) {
        throw new Error(`the path binds '${name}' twice`);
      }
      if (excludeOneAnother(path, other)) {
        throw new Error(
          `the path binds '${protoPath(other)}' and '${name}', of which a request can have one`,
        );
      }
    }
    const bodyFillsAll = body.kind === "message" && body.raw;
    const bodyFillsIt = body.kind === "field" && body.field === path[0] && (body.raw || path.length === 1);
    if (bodyFillsAll || bodyFillsIt) {
      throw new Error(`the path binds '${name}', which the body fills`);
    }
  }
}

function resolveVariable(input: DescMessage, fieldPath: string): FieldPath {
  const path = resolveFieldPath(input, fieldPath);
  const leaf = path?.at(-1);
  if (path === undefined || leaf === undefined) {
    throw new Error(`the path binds '${fieldPath}', which is no field of ${input.typeName}`);
  }
  if (leaf.fieldKind !== "scalar" && leaf.fieldKind !== "enum") {
    throw new Error(`the path binds '${fieldPath}', which is no single scalar or enum value`);
  }
  return path;
}

/** Whether two paths part at two fields of one oneof. */
function excludeOneAnother(a: FieldPath, b: FieldPath): boolean {
  const index = a.findIndex((field, position) => field !== b[position]);
  const [first, second] = [a[index], b[index]];
  return first?.oneof !== undefined && first.oneof === second?.oneof;
}
