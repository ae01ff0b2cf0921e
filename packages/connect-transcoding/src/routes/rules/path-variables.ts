import type { DescMessage } from "@bufbuild/protobuf";
import { type FieldPath, protoPath, resolveFieldPath } from "../../codec/message-field.js";
import { isWrittenAsText } from "../../codec/value-parser.js";
import type { BodyRule } from "./body-rule.js";
import type { PathTemplate } from "./path-template.js";

/**
 * Checks the variables of a template: they bind distinct fields that have a text form, no two of one oneof, and none that the
 * body sets. Throws an Error that names the field otherwise.
 */
export function checkPathVariables(input: DescMessage, { variables }: PathTemplate, body: BodyRule): void {
  const paths = variables.map(({ fieldPath }) => resolveVariable(input, fieldPath));
  for (const [index, path] of paths.entries()) {
    const name = protoPath(path);
    for (const other of paths.slice(0, index)) {
      if (protoPath(other) === name) {
        throw new Error(`the path binds '${name}' twice`);
      }
      if (excludeEachOther(path, other)) {
        throw new Error(`the path binds '${protoPath(other)}' and '${name}', which belong to the same oneof`);
      }
    }
    const bodyIsMessage = body.kind === "value" || (body.kind === "message" && body.raw);
    const bodyIsField = body.kind === "field" && body.field === path[0] && (body.raw || path.length === 1);
    if (bodyIsMessage || bodyIsField) {
      throw new Error(`the path binds '${name}', which the body fills`);
    }
  }
}

/** Gives variables the paths of their fields: `id.value` of a wrapper is `id`. */
export function withFieldPaths(template: PathTemplate, input: DescMessage): PathTemplate {
  const variables = template.variables.map((variable) => ({
    ...variable,
    fieldPath: protoPath(resolveVariable(input, variable.fieldPath)),
  }));
  return { ...template, variables };
}

function resolveVariable(input: DescMessage, fieldPath: string): FieldPath {
  const path = resolveFieldPath(input, fieldPath);
  const leaf = path?.at(-1);
  if (path === undefined || leaf === undefined) {
    throw new Error(`the path binds '${fieldPath}', which is not a field of ${input.typeName}`);
  }
  const hasText =
    leaf.message === undefined || (leaf.fieldKind === "message" && isWrittenAsText(leaf.message));
  if (leaf.fieldKind === "map" || !hasText) {
    throw new Error(`the path binds '${fieldPath}', which has no text form`);
  }
  return path;
}

/** Whether two paths diverge at two fields of one oneof. */
export function excludeEachOther(a: FieldPath, b: FieldPath): boolean {
  const index = a.findIndex((field, position) => field !== b[position]);
  const [first, second] = [a[index], b[index]];
  return first?.oneof !== undefined && first.oneof === second?.oneof;
}
