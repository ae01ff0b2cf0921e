import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApiDocument } from "../../src/openapi/open-api.js";

/** What is wrong with a value by a schema of a document, in words; nothing for a value that is valid. */
export type SchemaCheck = (value: unknown) => string[];

/**
 * Compiles schemas of a document, strictly: unknown keywords and unknown formats are errors. `pointer` is a JSON
 * Pointer to the schema (RFC 6901).
 */
export function schemaCompiler(document: OpenApiDocument): (pointer: readonly string[]) => SchemaCheck {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  addFormats.default(ajv);
  // What is OpenAPI's own, or an annotation.
  for (const keyword of ["discriminator", "openapi", "info", "servers", "tags", "paths", "components"]) {
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
