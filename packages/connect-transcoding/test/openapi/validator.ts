import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApiDocument, Operation, OperationParameter } from "../../src/openapi/open-api.js";

/** Describes why a value does not match a schema of a document; empty for a valid value. */
export type SchemaCheck = (value: unknown) => string[];

/** The parameters of an operation, without references to those that all operations share. */
export function parametersOf(operation: Operation | undefined): OperationParameter[] {
  return (operation?.parameters ?? []).flatMap((each) => ("$ref" in each ? [] : [each]));
}

/**
 * Compiles schemas of a document, strictly: unknown keywords and unknown formats are errors. `pointer` is a JSON
 * Pointer to the schema (RFC 6901).
 */
export function schemaCompiler(document: OpenApiDocument): (pointer: readonly string[]) => SchemaCheck {
  // An object that is described as a map has required properties without schemas of their own.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  addFormats.default(ajv);
  // Keywords of OpenAPI, and annotations.
  const ours = ["discriminator", "openapi", "info", "servers", "tags", "paths", "security", "components"];
  for (const keyword of ours) {
    ajv.addKeyword(keyword);
  }
  ajv.addFormat("uint64", true);
  ajv.addFormat("idn-email", true);
  ajv.addSchema(document, "https://openapi.example/");
  return (pointer) => {
    const path = pointer.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")));
    const validate = ajv.compile({ $ref: `https://openapi.example/#/${path.join("/")}` });
    return (value) =>
      validate(value)
        ? []
        : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
