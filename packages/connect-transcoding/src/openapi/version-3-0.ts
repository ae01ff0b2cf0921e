import type { JsonValue } from "@bufbuild/protobuf";
import type {
  MediaType,
  OpenApiDocument,
  OpenApiInfo,
  Operation,
  OperationParameter,
  Reference,
  RequestBody,
  Response,
  Schema,
} from "./open-api.js";

/**
 * Converts a document to OpenAPI 3.0, whose schemas are those of an older JSON Schema. Throws an Error for a security scheme that
 * 3.0 does not have.
 * https://spec.openapis.org/oas/v3.0.4.html
 */
export function toOpenApi30(document: OpenApiDocument): OpenApiDocument {
  const { schemas, responses, parameters, securitySchemes = {} } = document.components;
  for (const [name, { type }] of Object.entries(securitySchemes)) {
    if (type === "mutualTLS") {
      throw new Error(`OpenAPI 3.0 has no security schemes of the type mutualTLS, such as '${name}'`);
    }
  }
  return {
    ...document,
    openapi: "3.0.4",
    info: convertInfo(document.info),
    paths: mapValues(document.paths, (item) => mapValues(item, convertOperation)),
    components: {
      ...document.components,
      schemas: mapValues(schemas, convertSchema),
      responses: mapValues(responses, convertResponse),
      ...(parameters === undefined ? {} : { parameters: mapValues(parameters, convertParameter) }),
    },
  };
}

/** A license has a URL in place of its SPDX identifier. */
function convertInfo({ license, ...info }: OpenApiInfo): OpenApiInfo {
  if (license === undefined) {
    return info;
  }
  const { identifier, ...others } = license;
  const url = identifier === undefined ? {} : { url: `https://spdx.org/licenses/${identifier}.html` };
  return { ...info, license: { ...url, ...others } };
}

function convertOperation({ parameters, requestBody, ...operation }: Operation): Operation {
  return {
    ...operation,
    ...(parameters === undefined
      ? {}
      : { parameters: parameters.map((each) => unlessReference(each, convertParameter)) }),
    ...(requestBody === undefined ? {} : { requestBody: convertBody(requestBody) }),
    responses: mapValues(operation.responses, (each) => unlessReference(each, convertResponse)),
  };
}

function unlessReference<T extends object>(value: T | Reference, convert: (value: T) => T): T | Reference {
  return "$ref" in value ? value : convert(value);
}

function convertParameter(parameter: OperationParameter): OperationParameter {
  return { ...parameter, schema: convertSchema(parameter.schema) };
}

function convertBody({ content, ...body }: RequestBody): RequestBody {
  return { ...body, content: mapValues(content, convertMediaType) };
}

/** Bytes have a schema. */
function convertMediaType({ schema, ...type }: MediaType): MediaType {
  return {
    schema: schema === undefined ? { type: "string", format: "binary" } : convertSchema(schema),
    ...type,
  };
}

function convertResponse({ headers, content, ...response }: Response): Response {
  return {
    ...response,
    ...(headers === undefined
      ? {}
      : { headers: mapValues(headers, (each) => ({ ...each, schema: convertSchema(each.schema) })) }),
    ...(content === undefined ? {} : { content: mapValues(content, convertMediaType) }),
  };
}

/** Converts a JSON Schema (2020-12) with all schemas in it. */
function convertSchema(schema: Schema): Schema {
  const { $ref, ...siblings } = schema;
  if ($ref !== undefined) {
    // Other keywords next to a reference are ignored.
    return Object.keys(siblings).length === 0 ? schema : { ...convertSchema(siblings), allOf: [{ $ref }] };
  }
  const { type, const: constant, examples, contentEncoding, anyOf, oneOf, allOf, ...others } = siblings;
  const { items, properties, additionalProperties, exclusiveMinimum, exclusiveMaximum, ...kept } = others;
  const types = typeof type === "string" ? [type] : (type ?? []);
  const alternatives = anyOf?.filter((each) => each.type !== "null");
  const isNullable = types.includes("null") || (anyOf !== undefined && alternatives?.length !== anyOf.length);
  const [example] = examples ?? [];
  const converted: Schema = {
    ...kept,
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...(example === undefined ? {} : { example }),
    ...(contentEncoding === undefined ? {} : { format: "byte" }),
    ...limit("minimum", "exclusiveMinimum", exclusiveMinimum),
    ...limit("maximum", "exclusiveMaximum", exclusiveMaximum),
    ...(items === undefined ? {} : { items: convertSchema(items) }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, convertSchema) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: additionalProperties && convertSchema(additionalProperties) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(convertSchema) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(convertSchema) }),
  };
  const typed = withTypes(
    converted,
    types.filter((each) => each !== "null"),
  );
  const united =
    alternatives === undefined ? typed : withAlternatives(typed, alternatives.map(convertSchema));
  return isNullable ? withNull(united) : united;
}

/** An exclusive limit is a limit and a flag. */
function limit(name: "minimum" | "maximum", flag: string, value: number | boolean | undefined): Schema {
  return value === undefined ? {} : { [name]: value, [flag]: true };
}

/** A schema has one type; several are alternatives. An array has items. */
function withTypes(schema: Schema, types: readonly string[]): Schema {
  const [type, ...others] = types;
  if (type === undefined) {
    return schema;
  }
  if (others.length > 0) {
    const typed = (each: string): Schema => withTypes({}, [each]);
    return { ...schema, ...(schema.anyOf === undefined ? { anyOf: types.map(typed) } : {}) };
  }
  return { type, ...schema, ...(type === "array" && schema.items === undefined ? { items: {} } : {}) };
}

/** A single alternative is the schema itself, or a reference to it. */
function withAlternatives(schema: Schema, alternatives: readonly Schema[]): Schema {
  const [only, ...others] = alternatives;
  if (only === undefined || others.length > 0) {
    return { ...schema, anyOf: alternatives };
  }
  return only.$ref === undefined ? { ...only, ...schema } : { ...schema, allOf: [only] };
}

/**
 * Allows null: `nullable` belongs to the schema with a type, of alternatives to the first one. `enum` must list null as well. It has no
 * effect without a type: references are to objects, and null alone is a string that is null.
 */
function withNull(schema: Schema): Schema {
  const typed = schema.anyOf?.find(({ type }) => type !== undefined);
  if (schema.anyOf !== undefined && typed !== undefined) {
    return { ...schema, anyOf: schema.anyOf.map((each) => (each === typed ? withNull(each) : each)) };
  }
  const isOnlyNull = Object.keys(schema).every((name) => name === "description" || name === "deprecated");
  const values: readonly JsonValue[] | undefined = isOnlyNull ? [] : schema.enum;
  return {
    type: isOnlyNull ? "string" : "object",
    ...schema,
    nullable: true,
    ...(values === undefined ? {} : { enum: [...values, null] }),
  };
}

function mapValues<T>(values: Readonly<Record<string, T>>, convert: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value)]));
}
