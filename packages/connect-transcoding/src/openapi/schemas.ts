import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { fieldDocsOf } from "../rules/method-options.js";
import { type Comments, commentOn, type Direction, enumNames, joinTexts, jsonOf } from "./documentation.js";
import type { Schema } from "./open-api.js";

/** A property of an object, or a parameter. */
export interface Property {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** Creates schemas, and collects the named ones as components of the document. */
export interface Schemas {
  /** The schema of a message: a reference to a component, or the schema of a well-known type. */
  ofMessage(desc: DescMessage, direction: Direction): Schema;
  /** The schema of a field, with its documentation. */
  ofField(field: DescField, direction: Direction): Schema;
  /** A field as a property of the object of its message. */
  propertyOf(field: DescField, direction: Direction): Property;
  /** Adds a component under a name, or under the name and a number if it is taken. Returns a reference to it. */
  define(name: string, schema: Schema): Schema;
  /** All components so far, sorted by name. */
  components(): Record<string, Schema>;
}

/**
 * Creates the schemas of methods with these inputs and outputs. A schema has the name of its message without the package.
 * A message in both directions has a second schema with the suffix `Input`, because requests accept more than responses
 * contain.
 */
export function createSchemas(
  inputs: readonly DescMessage[],
  outputs: readonly DescMessage[],
  comments: Comments,
): Schemas {
  const requested = reachable(inputs);
  const returned = reachable(outputs);
  const shortNames = [...new Set([...requested, ...returned])].map(shortName);
  const components = new Map<string, Schema>();

  function nameOf(desc: DescMessage, direction: Direction): string {
    const short = shortName(desc);
    const isUnique = shortNames.indexOf(short) === shortNames.lastIndexOf(short);
    const isBoth = requested.has(desc) && returned.has(desc);
    return `${isUnique ? short : desc.typeName}${isBoth && direction === "request" ? "Input" : ""}`;
  }

  function ofMessage(desc: DescMessage, direction: Direction): Schema {
    const wellKnown = wellKnownSchema(desc);
    if (wellKnown !== undefined) {
      return wellKnown;
    }
    const name = nameOf(desc, direction);
    if (!components.has(name)) {
      // Messages can contain themselves, so that the name must exist before the schema.
      components.set(name, {});
      const properties = desc.fields.map((field) => propertyOf(field, direction));
      components.set(name, objectSchema(properties, commentOn(desc, comments)));
    }
    return referenceTo(name);
  }

  function ofField(field: DescField, direction: Direction): Schema {
    const element = { ...ofElement(field, direction), ...limitsOf(field, direction) };
    const described = {
      ...describedBy(descriptionOf(field, direction)),
      ...(field.deprecated ? { deprecated: true } : {}),
    };
    switch (field.fieldKind) {
      case "list":
        return { type: "array", items: element, ...itemLimitsOf(field, direction), ...described };
      case "map":
        return { type: "object", additionalProperties: element, ...described };
      default:
        return { ...element, ...described };
    }
  }

  /** The schema of a single value of a field. */
  function ofElement(field: DescField, direction: Direction): Schema {
    if (field.message !== undefined) {
      return ofMessage(field.message, direction);
    }
    return field.enum !== undefined ? enumSchema(field.enum, direction) : scalarSchema(field.scalar);
  }

  function descriptionOf(field: DescField, direction: Direction): string {
    const others = field.oneof?.fields.filter((each) => each !== field) ?? [];
    const alternatives = others.map(({ jsonName }) => `\`${jsonName}\``).join(", ");
    const named = field.enum === undefined ? [] : [...enumNames(field.enum, direction)];
    const values = named.flatMap(([name, value]) => {
      const comment = commentOn(value, comments);
      return comment === "" ? [] : [`- \`${name}\`: ${comment}`];
    });
    const excludes = others.length > 0 ? `Excludes ${alternatives}.` : "";
    return joinTexts([commentOn(field, comments), excludes, values.join("\n")], "\n\n");
  }

  function propertyOf(field: DescField, direction: Direction): Property {
    const isAlwaysPresent = direction === "response" && field.presence === FeatureSet_FieldPresence.IMPLICIT;
    return {
      name: field.jsonName,
      required: isAlwaysPresent || fieldDocsOf(field).required,
      schema: ofField(field, direction),
    };
  }

  function define(name: string, schema: Schema): Schema {
    let free = name;
    for (let number = 2; components.has(free) || shortNames.includes(free); number++) {
      free = `${name}${number}`;
    }
    components.set(free, schema);
    return referenceTo(free);
  }

  const sorted = () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ofMessage, ofField, propertyOf, define, components: sorted };
}

/** The schema of an object with these properties, among others. */
export function objectSchema(properties: readonly Property[], description = ""): Schema {
  const required = properties.flatMap((each) => (each.required ? [each.name] : []));
  return {
    type: "object",
    ...describedBy(description),
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The documented limits, default and example of a field. */
function limitsOf(field: DescField, direction: Direction): Schema {
  const { minLength, maxLength, allowedValues, defaultValue, formats, example } = fieldDocsOf(field);
  const allowed = allowedValues.map((text) => jsonOf(field, text));
  const [format, ...otherFormats] = formats;
  return {
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength > 0 ? { maxLength } : {}),
    ...(allowed.length > 0 ? { enum: allowed } : {}),
    ...(otherFormats.length > 0 ? { anyOf: formats.map((each) => ({ format: each })) } : {}),
    ...(format !== undefined && otherFormats.length === 0 ? { format } : {}),
    ...(defaultValue === "" || direction === "response" ? {} : { default: jsonOf(field, defaultValue) }),
    ...(example === "" ? {} : { examples: [jsonOf(field, example)] }),
  };
}

/** The number of elements of a list; a required one has at least one. */
function itemLimitsOf(field: DescField, direction: Direction): Schema {
  const { required, maxItems } = fieldDocsOf(field);
  return {
    ...(required && direction === "request" ? { minItems: 1 } : {}),
    ...(maxItems > 0 ? { maxItems } : {}),
  };
}

function referenceTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of a message type without its package, for example `Book.Cover` for a nested one. */
function shortName({ typeName, file }: DescMessage): string {
  const { package: packageName } = file.proto;
  return packageName === "" ? typeName : typeName.slice(packageName.length + 1);
}

/** These message types and all types of their fields, at any depth. */
function reachable(descs: readonly DescMessage[]): Set<DescMessage> {
  const found = new Set(descs);
  // The iteration includes elements that are added during it.
  for (const desc of found) {
    for (const { message } of desc.fields) {
      if (message !== undefined) {
        found.add(message);
      }
    }
  }
  return found;
}

/** The schema of a scalar in ProtoJSON. https://protobuf.dev/programming-guides/json/ */
function scalarSchema(scalar: ScalarType): Schema {
  switch (scalar) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
      return { type: "number", format: "double" };
    case ScalarType.FLOAT:
      return { type: "number", format: "float" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: "string", format: "int64", pattern: "^-?[0-9]+$" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "string", format: "uint64", pattern: "^[0-9]+$" };
  }
}

/** The schema of an enum: the names of its values. */
function enumSchema(desc: DescEnum, direction: Direction): Schema {
  if (desc.typeName === "google.protobuf.NullValue") {
    return { type: "null" };
  }
  return { type: "string", enum: [...enumNames(desc, direction).keys()] };
}

/** The schema of a well-known type with a ProtoJSON form of its own; undefined for any other message type. */
function wellKnownSchema(desc: DescMessage): Schema | undefined {
  if (isWrapperDesc(desc)) {
    const { type, ...rest } = scalarSchema(desc.fields[0].scalar);
    return { type: typeof type === "string" ? [type, "null"] : "null", ...rest };
  }
  return WELL_KNOWN.get(desc.typeName);
}

const WELL_KNOWN: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Duration", { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" }],
  ["google.protobuf.FieldMask", { type: "string" }],
  ["google.protobuf.Empty", { type: "object" }],
  ["google.protobuf.Struct", { type: "object" }],
  ["google.protobuf.ListValue", { type: "array" }],
  ["google.protobuf.Value", {}],
  [
    "google.protobuf.Any",
    { type: "object", properties: { "@type": { type: "string" } }, required: ["@type"] },
  ],
]);

/** The `description` of an object; empty without a text. */
export function describedBy(description: string): { readonly description?: string } {
  return description === "" ? {} : { description };
}

/** Removes duplicate schemas. */
export function distinct(schemas: readonly Schema[]): Schema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
