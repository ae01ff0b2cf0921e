/** Calls besides the examples of the document: errors with details, and batches of answers and errors. */
const MORE_CALLS = [
  { operationId: "geoIpLookupIp", query: { ip_address: "10.0.0.1" } },
  { operationId: "geoIpBatchLookupIps", body: { ip_addresses: ["1.1.1.1", "10.0.0.1", "nonsense"] } },
  { operationId: "emailBatchSanitizeEmails", body: { emails: ["Jane.Doe@GoogleMail.com", "nobody"] } },
];

/**
 * Returns the calls that every client makes: each example of each operation of the document, each value of its parameters, its
 * response to empty texts and lists, and {@link MORE_CALLS}. A call has the arguments of the generated functions: a query, a body, or none.
 */
export function callsOf(document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return operations.flatMap(({ path, method, operation }) => {
    const { operationId } = operation;
    const more = MORE_CALLS.filter((each) => each.operationId === operationId);
    return [...examplesOf(operation, document.components), ...more].map(({ query, body }) => {
      const shown = body ?? query;
      const name = `${operationId}${shown === undefined ? "" : ` ${JSON.stringify(shown)}`}`;
      return { name, operationId, method, path, query, body };
    });
  });
}

function examplesOf({ parameters = [], requestBody, responses }, { schemas }) {
  const content = requestBody?.content["application/json"];
  if (content !== undefined) {
    const bodies = Object.values(content.examples).map(({ value }) => value);
    const texts = textsOf(content.schema, schemas);
    return [...bodies, ...bodies.map((each) => emptied(each, texts))].map((body) => ({ body }));
  }
  if (parameters.length === 0) {
    return [{}];
  }
  const success = Object.values(responses["200"].content).flatMap(({ examples = {} }) =>
    Object.keys(examples),
  );
  const names = new Set([...success, ...parameters.flatMap(({ examples = {} }) => Object.keys(examples))]);
  const queries = [...names].map((each) =>
    Object.fromEntries(
      parameters
        .filter(({ examples = {} }) => each in examples)
        .map(({ name, examples }) => [name, examples[each].value]),
    ),
  );
  const [first] = queries;
  const values = parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? [])
      .filter((value) => value !== first[name])
      .map((value) => ({ ...first, [name]: value })),
  );
  const required = parameters.filter((each) => each.required && each.schema.const === undefined);
  const rejected = emptied(first, new Set(required.map(({ name }) => name)));
  return [...queries, ...values, ...(required.length > 0 ? [rejected] : [])].map((query) => ({ query }));
}

/** The names of the texts in the schemas of a body that can be any text. */
function textsOf(schema, schemas) {
  const { oneOf = [], properties = {} } = schemas[schema.$ref.split("/").at(-1)];
  const isText = ([, each]) => each.type === "string" && each.enum === undefined && each.const === undefined;
  const own = Object.entries(properties).filter(isText);
  return new Set([...own.map(([name]) => name), ...oneOf.flatMap((each) => [...textsOf(each, schemas)])]);
}

/** Arguments whose lists are empty, and those of their texts that can be any text. */
function emptied(example, texts) {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      Array.isArray(value) ? [] : texts.has(name) ? "" : value,
    ]),
  );
}

/** Makes the calls without a client. Resolves to what clients report: the status, and the JSON, the text or the bytes in base64. */
export async function fetchAll(calls, url, headers) {
  const results = [];
  for (const { method, path, query = {}, body } of calls) {
    const search = new URLSearchParams(query);
    const response = await fetch(`${url}${path}${search.size === 0 ? "" : `?${search}`}`, {
      method,
      // The programs of the clients block this process for longer than the service keeps idle connections.
      headers: { ...headers, connection: "close", ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const [, kind] = /^(application\/json|text\/plain)?/.exec(response.headers.get("content-type") ?? "");
    const bytes = Buffer.from(await response.arrayBuffer());
    const value =
      kind === "application/json"
        ? JSON.parse(bytes)
        : bytes.toString(kind === undefined ? "base64" : "utf8");
    results.push({ status: response.status, kind: kind ?? "bytes", value });
  }
  return results;
}

/** Returns the patterns in a document, each with its examples. */
export function patternsOf(value) {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const { pattern, examples = [] } = value;
  const own = typeof pattern === "string" ? [{ pattern, examples }] : [];
  return [...own, ...Object.values(value).flatMap(patternsOf)];
}
