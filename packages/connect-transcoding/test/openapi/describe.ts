import { Validator } from "@seriousme/openapi-schema-validator";
import { defineService, type MethodDefinition } from "connect-transcoding-testing/define-service.js";
import { expect } from "vitest";
import type { Comments } from "../../src/openapi/comments.js";
import { type Documentation, openApiDocument, type ServerDescription } from "../../src/openapi/document.js";
import type { OpenApiDocument, Operation } from "../../src/openapi/open-api.js";
import { readHttpBindings } from "../../src/routes/rules/http-rule.js";

const INFO = { title: "Library", version: "1.2.3", description: "Shelves and books." };

/** The document of the methods of a service. */
export function documentOf(
  { methods }: Pick<ReturnType<typeof defineService>, "methods">,
  comments: Comments = {},
  description: Partial<ServerDescription> = {},
  version?: Documentation["version"],
): OpenApiDocument {
  const bindings = methods.flatMap(readHttpBindings);
  return openApiDocument(
    bindings,
    { info: INFO, comments, ...(version === undefined ? {} : { version }) },
    { baseUrl: undefined, requestLimit: () => 1000, errorDomain: "utilitytools", ...description },
  );
}

/** The only operation in the document of one test method, or of several on one path. */
export function operationOf(...methods: MethodDefinition[]): Operation {
  const { paths } = documentOf(defineService(methods));
  const [operation, ...others] = Object.values(paths).flatMap((item) => Object.values(item));
  expect(others).toEqual([]);
  if (operation === undefined) {
    throw new Error("there is no operation");
  }
  return operation;
}

// Shared, because it takes a second to compile the schema of OpenAPI.
const validator = new Validator();

/** Expects a document to be valid OpenAPI. */
export async function expectValid(document: object): Promise<void> {
  // The validator resolves references in place.
  expect(await validator.validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
}
