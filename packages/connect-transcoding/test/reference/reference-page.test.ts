import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { referencePage, referencePages } from "../../src/reference/index.js";
import { documentOf } from "../openapi/describe.js";

const COMMENTS = {
  "library.v1.LibraryService": "Books and *shelves*.",
  "library.v1.LibraryService.GetBook": "Gets a book. Quickly.",
  "library.v1.Book.genre": "What kind of book it is.",
};
const LIBRARY = documentOf(LibraryService, COMMENTS);

/** The parts of a page that tests compare. */
function read(html: string) {
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map((match) => match[1] ?? "");
  return {
    ids: all(/\sid="([^"]*)"/g),
    targets: all(/\shref="#([^"]*)"/g),
    headings: all(/<h3 id="([^"]*)"/g),
  };
}

/** A document with one operation. */
function oneOperation(operation: object, others: object = {}): Record<string, unknown> {
  return {
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    paths: { "/a/{id}": { post: operation } },
    ...others,
  };
}

describe("the document of a library", () => {
  const { html, isLocked } = referencePage(LIBRARY, { methods: LibraryService.methods });

  test("has a section for each operation, and every link has a target", () => {
    const { ids, targets, headings } = read(html);
    const operations = Object.values(LIBRARY.paths).flatMap((item) => Object.values(item));
    expect(headings).toHaveLength(operations.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(targets.filter((each) => !ids.includes(each))).toEqual([]);
    for (const name of Object.keys(LIBRARY.components.schemas)) {
      expect(ids).toContain(`type-${name}`);
    }
    expect(isLocked).toBe(false);
  });

  test("has the comments of the protos, and the calls over gRPC", () => {
    expect(html).toContain("Books and <em>shelves</em>.");
    expect(html).toContain("Gets a book");
    expect(html).toContain("What kind of book it is.");
    expect(html).toContain("/library.v1.LibraryService/GetBook'");
    expect(referencePage(LIBRARY).html).not.toContain("buf curl");
  });

  test("has no inline script, style or handler", () => {
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  });
});

test("a first request is at the start, and errors are at the end", () => {
  const { html } = referencePage(LIBRARY);
  const places = ['id="start"', "curl ", 'class="group-head"', 'id="types"', 'id="errors"'].map((part) =>
    html.indexOf(part, html.indexOf('class="ref"')),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test("the header has the links of the server", () => {
  const links = [{ href: "./#/a", label: "One-time passwords", short: "Passwords" }];
  const { html } = referencePage(LIBRARY, { links });
  expect(html).toContain('<a class="brand" href="./">');
  expect(html).toContain('<a href="./#/a" aria-label="One-time passwords">');
  expect(html).toContain('<span class="narrow">Passwords</span>');
  expect(referencePage(LIBRARY).html).toContain('<a class="brand" href="#main">');
});

test("errors with reasons have links: common ones once, others with their method", () => {
  const responses = (own: string) => ({
    "400": { description: `\`BAD\`: It is bad.\n\n\`${own}\`: Only here.` },
    default: { description: "Anything else." },
  });
  const { html } = referencePage({
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    paths: {
      "/a": { get: { operationId: "a", responses: responses("ONLY_A") } },
      "/b": { get: { operationId: "b", responses: responses("ONLY_B") } },
    },
  });
  const { ids, targets } = read(html);
  expect(ids).toEqual(
    expect.arrayContaining(["error-BAD", "error-default", "a.ONLY_A", "b.ONLY_B", "a.BAD"]),
  );
  expect(targets.filter((each) => each === "error-BAD")).toHaveLength(3);
  expect(html.match(/It is bad\./g)).toHaveLength(1);
});

test("words that say nothing more are left out", () => {
  const { html } = referencePage(
    oneOperation({
      parameters: [
        { name: "word", in: "query", schema: { type: "string", pattern: "^[a-z]+$" } },
        { name: "words", in: "query", schema: { type: "string", pattern: `^(${"[a-z]+ ".repeat(9)})$` } },
      ],
      responses: { "200": { description: "Found." } },
    }),
  );
  expect(html).toContain("matches <code>^[a-z]+$</code>");
  expect(html).not.toContain("pattern");
  expect(html).toContain("<h4>Responses</h4>");
});

test("methods that share a path have sections of their own, with their alternative of the body", () => {
  const alternative = (action: string, property: string) => ({
    type: "object",
    properties: { action: { const: action }, [property]: { type: "string" } },
  });
  const { html } = referencePage(
    oneOperation({
      operationId: "both",
      description:
        "**Make**, with `action=make`: Makes one.\n\n**Check**, with `action=check`: Checks one.\n\nFor both.",
      requestBody: {
        content: {
          "application/json": {
            schema: { oneOf: [alternative("make", "name"), alternative("check", "code")] },
            examples: { Make: { value: { action: "make" } }, Check: { value: { action: "check" } } },
          },
        },
      },
    }),
  );
  const [, make = "", check = ""] = html.split(/<div class="call">/);
  expect(make).toContain('<h4 id="Make">');
  expect(make).toContain("<p>With <code>action=make</code>.</p><p>Makes one.</p>");
  expect([make.includes(">name<"), make.includes(">code<")]).toEqual([true, false]);
  expect(check.split('class="side"')[0]).toContain(">code<");
  expect(html).toContain("<p>For both.</p>");
  const index = [...html.matchAll(/<li data-words="([^"]*)"><a href="([^"]*)">(.*?)<\/a>/g)];
  expect(index.map((match) => match.slice(1))).toEqual([
    ["Make /a/{id}", "#Make", '<span class="verb">POST</span> Makes one'],
    ["Check /a/{id}", "#Check", '<span class="verb">POST</span> Checks one'],
  ]);
});

describe("the form", () => {
  const { html } = referencePage(
    oneOperation(
      {
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string", examples: ['x"y'] } },
          { name: "kind", in: "query", schema: { enum: ["a", "b"] } },
          { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "pin", in: "query", schema: { type: "string", format: "password" } },
          { $ref: "#/components/parameters/Session" },
        ],
      },
      { components: { parameters: { Session: { name: "s", in: "cookie", schema: {} } } } },
    ),
  );

  test("has a field for each parameter that scripts can send", () => {
    const form = html.slice(html.indexOf("<form"), html.indexOf("</form>"));
    expect([...form.matchAll(/ name="([^"]*)"/g)].map((match) => match[1])).toEqual([
      "path:id",
      "query:kind",
      "query:tags",
      "query:pin",
    ]);
    expect(form).toContain('value="x&quot;y"');
    expect(form).toContain('<option value="b">b</option>');
    expect(form).toMatch(/<textarea [^>]*data-lines="list"/);
  });

  test("masks secrets, and the browser keeps nothing", () => {
    expect(html).toMatch(/name="query:pin"[^>]* type="password" autocomplete="off"/);
    expect(html).toContain('<form autocomplete="off"');
    expect(html).not.toMatch(/<form[^>]*\saction=/);
  });
});

describe("a document with an API key", () => {
  const schemes = {
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
  };

  test("is locked: the first page has nothing of the document", async () => {
    const document = oneOperation({ operationId: "hidden", summary: "Secret plans" }, schemes);
    const page = referencePage(document);
    expect(page.isLocked).toBe(true);
    expect(page.lockedHtml).not.toMatch(/Secret plans|hidden"|\/a\//);
    expect(page.lockedHtml).toContain('data-content="docs/content"');
    expect(page.content).toContain("Secret plans");
    const pages = referencePages(document);
    expect([...pages.keys()]).toEqual([
      "/docs",
      "/docs/",
      "/docs/content",
      "/docs/reference.css",
      "/docs/reference.js",
      "/docs/icon.svg",
      "/openapi.json",
    ]);
    expect(pages.get("/docs")).toMatchObject({ body: page.lockedHtml });
  });

  test("has the header in its examples", () => {
    const { html } = referencePage(oneOperation({}, schemes));
    expect(html).toContain("-H &quot;Authorization: Bearer $API_KEY&quot;");
    expect(html).toContain('data-key-header="Authorization" data-key-prefix="Bearer "');
  });

  test("that is optional is not locked", () => {
    expect(referencePage(oneOperation({}, { ...schemes, security: [{ bearer: [] }, {}] })).isLocked).toBe(
      false,
    );
    expect(referencePage(oneOperation({}, { components: schemes.components })).isLocked).toBe(false);
  });
});

test.each([
  [undefined, "/openapi.json"],
  ["files/api.json", "/files/api.json"],
  ["/v1/api.json", "/v1/api.json"],
  ["https://other.example/api.json", undefined],
])("the pages include the document that %j links to", async (documentUrl, path) => {
  const document = oneOperation({ operationId: "a" });
  const pages = referencePages(document, { ...(documentUrl && { documentUrl }) });
  const [, page] = [...pages].find(([, each]) => typeof each === "function") ?? [];
  expect([...pages.keys()].filter((each) => each.endsWith(".json"))).toEqual(
    path === undefined ? [] : [path],
  );
  const response = typeof page === "function" ? await page({} as never) : undefined;
  expect(response?.body).toBe(path === undefined ? undefined : JSON.stringify(document));
});

test("an absolute URL of a server is in the examples; a relative one is filled in by the script", () => {
  const servers = (url: string) => referencePage(oneOperation({}, { servers: [{ url }] })).html;
  expect(servers("https://api.example/v2/")).toContain("curl -X POST 'https://api.example/v2/a/{id}'");
  expect(servers("/v2")).toContain("<span data-base>");
});

test("schemas that contain themselves end", () => {
  const node = {
    type: "object",
    required: ["next"],
    properties: { next: { $ref: "#/components/schemas/Node" } },
  };
  const loop = { $ref: "#/components/schemas/Loop" };
  const { html } = referencePage(
    oneOperation(
      { requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } } } },
      { components: { schemas: { Node: node, Loop: loop, List: { type: "array", items: loop } } } },
    ),
  );
  expect(html).toContain('href="#type-Node"');
});

test.each<[string, Record<string, unknown>]>([
  ["nothing", {}],
  ["members of other types", { info: 1, paths: [], tags: "x", components: null, security: {}, servers: [3] }],
  [
    "operations of other types",
    { paths: { "/a": { get: null, post: { parameters: [1, null], responses: { 200: "x" }, tags: {} } } } },
  ],
  [
    "references to nothing",
    oneOperation({
      parameters: [{ $ref: "#/x" }, { $ref: "http://a" }],
      requestBody: { $ref: "#/%E0%A4%A" },
    }),
  ],
  [
    "schemas that are true and false",
    oneOperation(
      { requestBody: { content: { "application/json": { schema: true } } } },
      { components: { schemas: { A: false } } },
    ),
  ],
])("a document with %s has a page", (_, document) => {
  expect(referencePage(document).html).toMatch(/<main.*<\/main>/s);
});

test("texts of a document are escaped everywhere", () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  const schema = {
    type: evil,
    description: evil,
    enum: [evil],
    pattern: evil,
    default: evil,
    format: evil,
    properties: { [evil]: { type: "string" } },
  };
  const { html } = referencePage({
    openapi: evil,
    info: { title: evil, version: evil, description: evil, license: { name: evil } },
    servers: [{ url: `https://a/${evil}` }],
    tags: [{ name: evil, description: evil }],
    paths: {
      [`/${evil}`]: {
        post: {
          operationId: evil,
          summary: evil,
          description: evil,
          tags: [evil],
          parameters: [
            { name: evil, in: "query", description: evil, schema, examples: { [evil]: { value: evil } } },
          ],
          requestBody: { content: { [evil]: { schema, examples: { [evil]: { value: evil } } } } },
          responses: {
            [evil]: { description: evil },
            "200": { description: evil, headers: { [evil]: {} } },
            "400": { description: `\`BAD\`: ${evil}` },
          },
        },
      },
    },
    components: {
      schemas: { [evil]: schema },
      securitySchemes: { a: { type: "apiKey", in: "header", name: evil } },
    },
  });
  expect(html).not.toMatch(/<img src=x|<script>/);
  expect(html).toContain("&lt;script&gt;");
});
