// Writes the TypeScript programs that make the calls with each generated client. The compiler checks the arguments, and that the type of the
// response admits the response of the service.

/** The import of a client, and the expressions of a call, of the data or the error in its response, and of its status. */
export const CLIENTS = {
  "openapi-fetch": {
    head: `import createClient from "openapi-fetch";
      import type { paths } from "./schema.js";
      const client = createClient<paths>({ baseUrl: URL, headers: HEADERS });`,
    call: ({ method, path, query, body }, { kind }) => {
      const parse = { "application/json": "json", "text/plain": "text", bytes: "arrayBuffer" }[kind];
      const params = query && `params: { query: ${JSON.stringify(query)} }`;
      const sent = body && `body: ${JSON.stringify(body)}`;
      const options = [params, sent, parse === "json" ? undefined : `parseAs: "${parse}"`].filter(Boolean);
      return `client.${method}("${path}"${options.length === 0 ? "" : `, { ${options.join(", ")} }`})`;
    },
    status: "result.response.status",
    value: ({ status }) => (status === 200 ? "result.data" : "result.error"),
    isTyped: ({ kind }) => kind !== "bytes",
  },
  "hey-api": {
    head: `import { client } from "./client/client.gen.js";
      import * as api from "./client/index.js";
      client.setConfig({ baseUrl: URL, auth: KEY, headers: FORWARDED });`,
    call: ({ operationId, query, body }) => {
      const options = { ...(query && { query }), ...(body && { body }) };
      return `api.${operationId}(${Object.keys(options).length === 0 ? "" : JSON.stringify(options)})`;
    },
    status: "result.response?.status",
    value: ({ status }) => (status === 200 ? "result.data" : "result.error"),
    // A response that is text or JSON has only the type of the JSON.
    isTyped: ({ kind }) => kind === "application/json",
  },
  orval: {
    head: `import * as api from "./client.js";
      const options = { headers: HEADERS };`,
    call: ({ operationId, query, body }) =>
      `api.${operationId}(${[body, query].filter(Boolean).map((each) => `${JSON.stringify(each)}, `)}options)`,
    status: "result.status",
    value: ({ status }) => `(result as Extract<typeof result, { status: ${status} }>).data`,
    isTyped: ({ kind }) => kind !== "bytes",
  },
};

export function programOf({ head, call, status, value, isTyped }, calls, expected) {
  const blocks = calls.map((each, index) => {
    const { value: response } = expected[index];
    const typed = `const value = ${value(expected[index])};`;
    const literal = `const admitted: NonNullable<typeof value> = ${JSON.stringify(response)};`;
    return `{
      const result = await ${call(each, expected[index])};
      ${typed}
      ${isTyped(expected[index]) ? literal : ""}
      await report(${status}, value);
    }`;
  });
  return `import { FORWARDED, HEADERS, KEY, report, URL } from "../report.js";
    ${head}
    ${blocks.join("\n")}
  `;
}
