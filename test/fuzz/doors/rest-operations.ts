/** An operation of the API's document. */
export interface RestOperation {
  readonly verb: string;
  readonly path: string;
  /** Whether its parameters can come in a body. */
  readonly takesBody: boolean;
  /** Parameters of requests that are right. */
  readonly examples: readonly [Example, ...Example[]];
}

type Example = readonly (readonly [name: string, value: string])[];

/** Reads the operations from an OpenAPI document. Throws an Error where there are none. */
export function operationsOf(document: unknown): readonly [RestOperation, ...RestOperation[]] {
  const operations = entriesOf(document, "paths").flatMap(([path, item]) =>
    entriesOf(item).flatMap(([verb, operation]) => operationOf(verb, path, operation)),
  );
  const [first, ...others] = operations;
  if (first === undefined) {
    throw new Error("the document of the API has no operations with examples");
  }
  return [first, ...others];
}

function operationOf(verb: string, path: string, operation: unknown): RestOperation[] {
  const parameters = entriesOf(operation, "parameters").map(
    ([, parameter]) => [String(at(parameter, "name")), examplesOf(parameter)] as const,
  );
  const bodies = entriesOf(operation, "requestBody", "content").flatMap(([, content]) =>
    entriesOf(content, "examples").map(([, example]) =>
      entriesOf(example, "value").map(([name, value]) => [name, String(value)] as const),
    ),
  );
  // Every value of one parameter with the first value of the others.
  const queries = parameters.flatMap(([name, values]) =>
    values.map((value) =>
      parameters.map(([other, others]) => [other, other === name ? value : (others[0] ?? "")] as const),
    ),
  );
  const [first, ...others] = bodies.length > 0 ? bodies : queries;
  return first === undefined
    ? []
    : [{ verb: verb.toUpperCase(), path, takesBody: bodies.length > 0, examples: [first, ...others] }];
}

/** All values that the document knows for a parameter. */
function examplesOf(parameter: unknown): string[] {
  const named = entriesOf(parameter, "examples").map(([, example]) => at(example, "value"));
  const schema = at(parameter, "schema");
  const listed = [...entriesOf(schema, "examples"), ...entriesOf(schema, "enum")].map(([, value]) => value);
  return [...named, ...listed].filter((value) => value !== undefined).map(String);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (each, name) => (typeof each === "object" && each !== null ? Reflect.get(each, name) : undefined),
    value,
  );
}

function entriesOf(value: unknown, ...path: readonly string[]): [string, unknown][] {
  return Object.entries(at(value, ...path) ?? {});
}
