import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import * as entry from "connect-transcoding";
import * as client from "connect-transcoding/client";
import * as express from "connect-transcoding/express";
import * as fastify from "connect-transcoding/fastify";
import * as fetchHandler from "connect-transcoding/fetch";
import * as protovalidate from "connect-transcoding/protovalidate";
import { describe, expect, test } from "vitest";

const PACKAGE = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(PACKAGE, file), "utf8");
const DOCUMENTS = [
  "README.md",
  ...["guide", "hosts", "reference", "testing"].map((name) => `docs/${name}.md`),
]
  .map(read)
  .join("\n");

/** The names of the members of an interface. */
function membersOf(file: string, name: string): string[] {
  const source = readFileSync(join(PACKAGE, "src", file), "utf8");
  const body = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?:(]/gm)].map(([, member = ""]) => member);
}

/** Those of `TransportOptions`: the options of the HTTP server, except for those that `createServer` sets. */
function transportOptions(): string[] {
  const file = relative(
    join(PACKAGE, "src"),
    join(
      dirname(createRequire(import.meta.url).resolve("@utility-tools/http-server/package.json")),
      "src/options.ts",
    ),
  );
  const source = readFileSync(join(PACKAGE, "src/hosts/server.ts"), "utf8");
  const [, omitted = ""] = /type TransportOptions = Omit<\s*ServerOptions,([^>]*)>/.exec(source) ?? [];
  expect(omitted).toContain('"onRequest"');
  const ofServer = [...membersOf(file, "ServerOptions"), ...membersOf(file, "ServerLimits")];
  // The only option that `createServer` adds.
  return ["proxyProtocol", ...ofServer.filter((name) => !omitted.includes(`"${name}"`))];
}

test.each([
  [
    "TranscodingAdapterOptions",
    [
      ...membersOf("call/options.ts", "SharedOptions"),
      ...membersOf("features/options.ts", "Features"),
      ...membersOf("hosts/node.ts", "TranscodingAdapterOptions"),
    ],
  ],
  ["TranscodingOptions", membersOf("call/options.ts", "TranscodingOptions")],
  ["TranscodingHandlerOptions", membersOf("hosts/fetch.ts", "TranscodingHandlerOptions")],
  ["TransportOptions", transportOptions()],
  ["TranscodingServer", membersOf("hosts/server.ts", "TranscodingServer")],
  ["RestTransportOptions", membersOf("client/index.ts", "RestTransportOptions")],
  [
    "McpPageOptions",
    [...membersOf("mcp/options.ts", "McpOptions"), ...membersOf("mcp/options.ts", "McpPageOptions")],
  ],
  ["ServerDescription", membersOf("openapi/document.ts", "ServerDescription")],
])("the reference documents every member of %s", (name, members) => {
  const [, table = ""] = new RegExp(`^\\| \`${name}\` \\|.*\\n((?:\\|.*\\n)+)`, "m").exec(DOCUMENTS) ?? [];
  const documented = [...table.matchAll(/^\| `(\w+)/gm)].map(([, member]) => member);
  expect(
    documented.sort(),
    `the reference: the table that begins with "| \`${name}\` |" needs one row per member`,
  ).toEqual([...members].sort());
});

test.each(Object.keys({ ...entry, ...client, ...express, ...fastify, ...fetchHandler, ...protovalidate }))(
  "a document mentions the export %s",
  (name) => {
    expect(DOCUMENTS.includes(name), `mention ${name} in the reference`).toBe(true);
  },
);

describe("code in documents that names a file", () => {
  const blocks = [...DOCUMENTS.matchAll(/^```\w+ (examples\/\S+)\n([\s\S]*?)^```$/gm)];

  test.each(blocks.map(([, path = "", code = ""]) => [path, code]))("is in %s", (path, code) => {
    expect(readFileSync(join(PACKAGE, path), "utf8")).toContain(code);
  });
});
