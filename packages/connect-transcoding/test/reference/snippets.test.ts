import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { ExampleRequest } from "../../src/reference/document/examples.js";
import {
  BASE,
  type KeyHeader,
  type RpcExample,
  snippetsOf,
  WITHOUT_TLS,
} from "../../src/reference/snippets.js";

const GET: ExampleRequest = {
  httpMethod: "GET",
  path: "/v1/books/a%2Fb",
  query: [
    ["q", "it's & é"],
    ["tag", "x"],
  ],
  headers: [],
  body: undefined,
};
const POST: ExampleRequest = {
  ...GET,
  httpMethod: "POST",
  query: [],
  body: {
    mediaType: "application/json",
    value: { title: "it's", isNew: true, price: null, tags: ["a", 1.5] },
  },
};
const RPC: RpcExample = { path: "library.v1.LibraryService/GetBook", request: { title: "it's" } };
const KEY: KeyHeader = { name: "Authorization", prefix: "Bearer " };

function textsOf(request: ExampleRequest, rpc?: RpcExample, key?: KeyHeader): Record<string, string> {
  return Object.fromEntries(
    snippetsOf(request, rpc, key).map(({ language, text }) => [
      language,
      text.replaceAll(BASE, "http://host").replaceAll(WITHOUT_TLS, " --http2-prior-knowledge"),
    ]),
  );
}

test("without a method over gRPC, there are three languages", () => {
  expect(Object.keys(textsOf(GET))).toEqual(["curl", "TypeScript", "Python"]);
  expect(Object.keys(textsOf(GET, RPC))).toEqual(["curl", "buf curl", "TypeScript", "Python"]);
});

test("a request without a body", () => {
  expect(textsOf(GET)).toEqual({
    curl: "curl 'http://host/v1/books/a%2Fb?q=it%27s%20%26%20%C3%A9&tag=x'",
    TypeScript: `const response = await fetch("http://host/v1/books/a%2Fb?q=it%27s%20%26%20%C3%A9&tag=x");
if (!response.ok) {
  throw new Error(await response.text());
}
console.log(await response.text());`,
    Python: `import requests

response = requests.get(
    "http://host/v1/books/a%2Fb",
    params={"q": "it's & é", "tag": "x"},
    timeout=10,
)
response.raise_for_status()
print(response.text)`,
  });
});

test("a shell reads the body and the key of a request", () => {
  const { curl = "", "buf curl": buf = "" } = textsOf(POST, RPC, KEY);
  const argumentsOf = (command: string) =>
    execFileSync("sh", ["-c", command.replace(/^(?:curl|buf curl)/, "printf '%s\\n'")], {
      env: { API_KEY: "k" },
      encoding: "utf8",
    }).split("\n");
  const [url, ...options] = argumentsOf(curl);
  expect(url).toBe("http://host/v1/books/a%2Fb");
  expect(options.slice(0, 5)).toEqual([
    "-H",
    "Authorization: Bearer k",
    "-H",
    "Content-Type: application/json",
    "-d",
  ]);
  expect(JSON.parse(options[5] ?? "")).toEqual(POST.body?.value);
  const sent = argumentsOf(buf);
  expect(sent).toContain("--http2-prior-knowledge");
  expect(sent).toContain("Authorization: Bearer k");
  expect(sent).toContain("http://host/library.v1.LibraryService/GetBook");
  expect(JSON.parse(sent[sent.indexOf("-d") + 1] ?? "")).toEqual(RPC.request);
});

test("TypeScript and Python send the body and the key", () => {
  const { TypeScript, Python } = textsOf(POST, undefined, KEY);
  expect(TypeScript).toContain(`{
  method: "POST",
  headers: { "Authorization": \`Bearer \${process.env.API_KEY}\`, "Content-Type": "application/json" },
  body: JSON.stringify({`);
  expect(Python).toContain('headers={"Authorization": "Bearer " + os.environ["API_KEY"]},');
  expect(Python).toContain(`    json={
        "title": "it's",
        "isNew": True,
        "price": None,
        "tags": ["a", 1.5],
    },`);
});

test("repeated parameters stay in Python, and other HTTP methods are named in curl", () => {
  const repeated = {
    ...GET,
    httpMethod: "DELETE",
    query: [
      ["a", "1"],
      ["a", "2"],
    ] as const,
  };
  const { curl, Python } = textsOf(repeated);
  expect(curl).toBe("curl -X DELETE 'http://host/v1/books/a%2Fb?a=1&a=2'");
  expect(Python).toContain(
    'requests.delete(\n    "http://host/v1/books/a%2Fb",\n    params=[("a", "1"), ("a", "2")],',
  );
});
