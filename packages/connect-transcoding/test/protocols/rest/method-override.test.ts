import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { expect, test } from "vitest";
import { useOnePort } from "../../support/servers.js";

const service = defineService([
  { name: "GetBook", rule: ruleOf("GET /v1/{name=books/*}") },
  { name: "DeleteBook", rule: ruleOf("DELETE /v1/{name=books/*}") },
  {
    name: "PatchBook",
    input: "UpdateBookRequest",
    rule: { ...ruleOf("PATCH /v1/{book.name=books/*}"), body: "book" },
  },
  { name: "PokeBook", rule: ruleOf("POST /v1/{name=books/*}") },
]);
const titled = (title: string) => () => ({ title });
const implementation = {
  getBook: titled("got"),
  deleteBook: titled("deleted"),
  patchBook: titled("patched"),
  pokeBook: titled("poked"),
};
const routes = (router: { service: (...args: never[]) => unknown }) =>
  router.service(...([service, implementation] as never[]));
const server = useOnePort({ routes: routes as never, transcoding: { methodOverride: true } });
const plain = useOnePort({ routes: routes as never });

test.each([
  ["GET", "got"],
  ["DELETE", "deleted"],
  ["delete", "deleted"],
  ["PATCH", "patched"],
])("a POST with X-HTTP-Method-Override: %s", async (override, title) => {
  const headers = { "x-http-method-override": override };
  const response = await fetch(`${server.url}/v1/books/1`, { method: "POST", headers });
  expect([response.status, await response.json()]).toMatchObject([200, { title }]);
});

test.each(["POST", "HEAD", "TRACE", ""])("cannot stand for %j", async (override) => {
  const headers = { "x-http-method-override": override };
  const response = await fetch(`${server.url}/v1/books/1`, { method: "POST", headers });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, PUT, PATCH, DELETE"]);
});

test("only of POST", async () => {
  const headers = { "x-http-method-override": "DELETE" };
  const response = await fetch(`${server.url}/v1/books/1`, { headers });
  expect(await response.json()).toMatchObject({ title: "got" });
});

test("is ignored by default", async () => {
  const headers = { "x-http-method-override": "DELETE" };
  const response = await fetch(`${plain.url}/v1/books/1`, { method: "POST", headers });
  expect(await response.json()).toMatchObject({ title: "poked" });
});
