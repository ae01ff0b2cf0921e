import { join } from "node:path";
import { SERVICES } from "@utility-tools/protos/services.js";
import { fieldDocsOf, type Response } from "connect-transcoding/openapi";
import { httpOptionsOf } from "connect-transcoding/rules";
import { expect, test } from "vitest";
import { deriveCommands, fieldOption } from "../../../src/cli/commands.js";
import { loadDocumentation } from "../../../src/service/documentation.js";
import { TOOL_SERVICES } from "../../../src/tools/tool-services.js";
import { EXAMPLES, PLACES } from "../support/documented-examples.js";

const FILE = "test/contract/documents/api.txt";
const HINT =
  `the API differs from ${FILE}. What it has already must stay, because clients use it: routes, operation IDs (functions in ` +
  "generated clients), commands, flags, limits, defaults and reasons of errors. If the difference is intended, write it with " +
  "`npx vitest run test/contract/documents/api.test.ts --update`, and review it";

const METHODS = TOOL_SERVICES.flatMap(({ methods }) => methods);

/** Each operation of the OpenAPI document, with its ID and the names of its examples. */
const operations = PLACES.map(({ path, httpMethod, operation }) => {
  const names = EXAMPLES.filter((each) => each.operation === operation).map(({ name }) => name);
  return `${httpMethod.toUpperCase()} ${path} ${operation.operationId}: ${names.join(", ")}`;
});

/** Each field of a request, with what is documented about its values. */
const parameters = METHODS.flatMap(({ input }) => input.fields).map((field) => {
  const { required, minLength, maxLength, maxItems, minimum, maximum, allowedValues, defaultValue } =
    fieldDocsOf(field);
  const facts = [
    required && "required",
    minLength > 0 && `min_length ${minLength}`,
    maxLength > 0 && `max_length ${maxLength}`,
    maxItems > 0 && `max_items ${maxItems}`,
    minimum !== undefined && `minimum ${minimum}`,
    maximum !== undefined && `maximum ${maximum}`,
    allowedValues.length > 0 && `one of ${allowedValues.join(" ")}`,
    defaultValue !== "" && `default ${defaultValue}`,
  ];
  const name = `${field.parent.name}.${field.name}`;
  return [name, facts.filter((fact) => fact !== false).join(", ")].filter((part) => part !== "").join(": ");
});

/** Each link from a response to another operation. */
const links = PLACES.flatMap(({ operation }) =>
  Object.keys((operation.responses[200] as Response).links ?? {}),
);

/** Each error of a method besides those of invalid parameters. */
const errors = METHODS.flatMap((method) =>
  httpOptionsOf(method).errors.map(({ reason }) => `${method.name}: ${reason}`),
);

/** Each command, with its operand and its flags, its method, and the limits of its batches. */
const { comments } = loadDocumentation();
const commands = deriveCommands(Object.values(SERVICES)).map(({ name, method, operand, batch, fields }) => {
  const words = [
    name,
    ...(operand === undefined ? [] : [operand.name.toUpperCase()]),
    ...fields.map((field) => fieldOption(field, comments).long ?? ""),
  ];
  const methods = [
    method.name,
    ...(batch === undefined
      ? []
      : [`${batch.method.name} (${batch.maxItems} items, ${batch.maxBytes} bytes)`]),
  ];
  return `${words.join(" ")}: ${methods.join(", ")}`;
});

test("the API is as reviewed", async () => {
  const parts = {
    Operations: operations,
    Parameters: parameters,
    Errors: errors,
    Links: links,
    Commands: commands,
  };
  const text = Object.entries(parts).map(([title, lines]) => `${title}\n\n${lines.join("\n")}\n`);
  await expect(text.join("\n"), HINT).toMatchFileSnapshot(join(import.meta.dirname, "../../..", FILE));
});

test("every operation has an example", () => {
  expect(operations.filter((line) => line.endsWith(": "))).toEqual([]);
});
