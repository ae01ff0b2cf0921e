import type { DescField } from "@bufbuild/protobuf";
import { type FieldPath, jsonPath, protoPath } from "../transcoding/field-path.js";
import type { HttpBinding } from "../transcoding/http-rule.js";
import { hasOwnForm, isWrittenAsText } from "../transcoding/well-known-types.js";
import { fieldSurface } from "./field-surface.js";
import type { Property, Schemas } from "./schemas.js";

/** The parameters of a binding as the members of a JSON object: those of the HTTP surface, and the fields. */
export function jsonProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  const fields = freeFields(binding).map((field) => schemas.propertyOf(field, "request"));
  return withSurface(binding, fields);
}

/** The parameters of a binding as the names and values of a query or a form; fields of fields with dots. */
export function textProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  const inPath = new Set(binding.template.variables.map(({ fieldPath }) => fieldPath));
  const fields = freeFields(binding)
    .flatMap((field) => leaves(field, []))
    .filter((path) => !inPath.has(protoPath(path)))
    .map((path): Property => {
      const leaf = path.at(-1);
      const isRequired = path.every((field) => fieldSurface(field).required);
      return {
        name: jsonPath(path),
        required: isRequired,
        schema: leaf === undefined ? {} : schemas.ofField(leaf, "request"),
      };
    });
  return withSurface(binding, fields);
}

/** The fields that neither the path nor a field's body has. */
function freeFields({ method, template, body }: HttpBinding): DescField[] {
  const bound = new Set(template.variables.map(({ fieldPath }) => fieldPath));
  return method.input.fields.filter(
    (field) => !bound.has(field.name) && !(body.kind === "field" && body.field === field),
  );
}

/** What of a field can be written as text: itself, or fields of the message that it is. Recursion ends it. */
function leaves(field: DescField, parents: FieldPath): FieldPath[] {
  const path = [...parents, field];
  if (field.fieldKind === "map") {
    return [];
  }
  if (field.message === undefined || isWrittenAsText(field.message)) {
    return [path];
  }
  const { message } = field;
  const isRecursive = path
    .slice(0, -1)
    .some((parent) => parent.message === message || parent.parent === message);
  return field.fieldKind === "list" || isRecursive || hasOwnForm(message)
    ? []
    : message.fields.flatMap((each) => leaves(each, path));
}

/** Adds the parameters of selectors and of the representation; a selector narrows what a field says. */
function withSurface({ surface }: HttpBinding, fields: readonly Property[]): Property[] {
  const properties = new Map<string, Property>();
  const absent = new Set<string>();
  for (const { parameter, condition } of surface.select) {
    const field = fields.find(({ name }) => name === parameter);
    const schema = field?.schema ?? { type: "string" };
    if (condition.case === "equals") {
      properties.set(parameter, {
        name: parameter,
        required: true,
        schema: { ...schema, const: condition.value },
      });
    } else if (condition.value === true) {
      properties.set(parameter, { name: parameter, required: true, schema });
    } else {
      absent.add(parameter);
    }
  }
  for (const field of fields) {
    if (!properties.has(field.name) && !absent.has(field.name)) {
      properties.set(field.name, field);
    }
  }
  const { representation } = surface;
  if (representation !== undefined) {
    const values = representation.choices.map(({ value }) => value);
    const [first = ""] = values;
    const description = `How the answer is written. Default: \`${first}\`.`;
    properties.set(representation.parameter, {
      name: representation.parameter,
      required: false,
      schema: { type: "string", enum: values, default: first, description },
    });
  }
  return [...properties.values()];
}
