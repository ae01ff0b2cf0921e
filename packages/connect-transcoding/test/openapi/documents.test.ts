import { GardenService } from "connect-transcoding-testing/gen/garden/v1/garden_pb.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { expect, test } from "vitest";
import { openApiDocuments } from "../../src/openapi/documents.js";
import { readHttpBindings } from "../../src/routes/rules/http-rule.js";
import { documentOf, expectValid } from "./describe.js";

const BINDINGS = [...LibraryService.methods, ...GardenService.methods].flatMap(readHttpBindings);
const SERVER = { baseUrl: undefined, requestLimit: () => 1000, errorDomain: "utilitytools" };
const INFO = { title: "Library", version: "1.2.3", description: "Shelves and books." };

test("documents are those of the packages by default, each with its own schemas", async () => {
  const documents = openApiDocuments(BINDINGS, { info: INFO, comments: {} }, SERVER);
  expect([...documents.keys()]).toEqual(["library.v1", "garden.v1"]);
  expect(documents.get("library.v1")).toEqual(documentOf(LibraryService));
  expect(documents.get("garden.v1")).toEqual(documentOf(GardenService));
  for (const document of documents.values()) {
    await expectValid(document);
  }
});

test("a function names the document of a method, or leaves the method out", () => {
  const documents = openApiDocuments(
    BINDINGS,
    (name) => ({ info: { ...INFO, title: name }, comments: {}, version: name === "read" ? "3.0" : "3.1" }),
    SERVER,
    {
      documentOf: ({ name }) =>
        /^(?:Get|Find)/.test(name) ? "read" : name.startsWith("Create") ? "write" : undefined,
    },
  );
  expect([...documents].map(([name, { openapi, info }]) => [name, openapi, info.title])).toEqual([
    ["read", "3.0.4", "read"],
    ["write", "3.1.1", "write"],
  ]);
  expect(Object.keys(documents.get("write")?.paths ?? {})).toEqual([
    "/v1/shelves/{parent}/books",
    "/v1/gardens/{parent}/plants",
  ]);
  expect(documents.get("read")?.tags.map(({ name }) => name)).toEqual(["LibraryService", "GardenService"]);
});
