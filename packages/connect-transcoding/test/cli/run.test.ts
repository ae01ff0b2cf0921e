import { readFileSync } from "node:fs";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { GARDEN as GARDEN_FILE } from "connect-transcoding-testing/files.js";
import { file_library_v1_library } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.js";
import { commentsOf } from "../../src/openapi/comments.js";
import type { OpenApiDocument } from "../../src/openapi/open-api.js";
import { expectValid } from "../openapi/describe.js";

const GARDEN = readFileSync(GARDEN_FILE);
const garden = fromBinary(FileDescriptorSetSchema, GARDEN);

/** A descriptor set with a file and all of its imports, each once and after what it imports. */
function setOf(
  file: typeof file_library_v1_library,
  found = new Map<string, (typeof garden.file)[number]>(),
) {
  for (const each of file.dependencies) {
    setOf(each, found);
  }
  found.set(file.proto.name, file.proto);
  return create(FileDescriptorSetSchema, { file: [...found.values()] });
}

const FILES: Readonly<Record<string, Uint8Array | string>> = {
  "garden.binpb": GARDEN,
  "library.binpb": toBinary(FileDescriptorSetSchema, setOf(file_library_v1_library)),
  "alone.binpb": toBinary(
    FileDescriptorSetSchema,
    create(FileDescriptorSetSchema, { file: [file_library_v1_library.proto] }),
  ),
  "types.binpb": toBinary(
    FileDescriptorSetSchema,
    create(FileDescriptorSetSchema, { file: garden.file.map((file) => ({ ...file, service: [] })) }),
  ),
  "text.binpb": "a text",
  "empty.binpb": "",
  "rules.json": '{"rules": [{"selector": "garden.v1.GardenService.GetPlant", "get": "/v2/{name=**}"}]}',
  "service.json":
    '{"name": "garden", "http": {"rules": [{"selector": "garden.v1.GardenService.GetPlant", "get": "/v3/{name}"}]}}',
  "unknown.json": '{"rules": [{"selector": "garden.v1.GardenService.Dig", "get": "/v2/dig"}]}',
  "invalid.json":
    '{"rules": [{"selector": "garden.v1.GardenService.GetPlant", "get": "/v2/{name=**}/{shape}"}]}',
  "other.json": '{"rule": 1}',
  "broken.json": "{",
};

function start(...args: string[]) {
  const written = { output: "", error: "" };
  const status = run(args, {
    readFile: (path) => {
      const content = FILES[path];
      if (content === undefined) {
        throw new Error("no such file");
      }
      return typeof content === "string" ? new TextEncoder().encode(content) : content;
    },
    writeOutput: (text) => {
      written.output += text;
    },
    writeError: (text) => {
      written.error += text;
    },
  });
  return { status, ...written };
}

function documentOf(...args: string[]): OpenApiDocument {
  const { status, output, error } = start("openapi", ...args);
  expect({ status, error }).toEqual({ status: 0, error: "" });
  return JSON.parse(output);
}

describe("openapi", () => {
  test("writes the document of all services with the comments in the file", async () => {
    const document = documentOf("--descriptor", "garden.binpb");
    await expectValid(document);
    expect(document.info).toEqual({ title: "garden.v1", version: "1.0.0", description: "" });
    expect(document.servers).toEqual([{ url: "/" }]);
    expect(Object.keys(document.paths)).toContain("/v1/plants:find");
    expect(document.components.schemas.Plant?.description).toBe(commentsOf(garden.file)["garden.v1.Plant"]);
    expect(document.components.schemas.Plant?.description).toBeTruthy();
  });

  test("joins descriptor sets, and selects services", () => {
    const both = ["--descriptor", "garden.binpb", "--descriptor=library.binpb"];
    expect(documentOf(...both)).toMatchObject({
      info: { title: "garden.v1, library.v1" },
      tags: [{ name: "GardenService" }, { name: "LibraryService" }],
    });
    const selected = documentOf(...both, "--service", "library.v1.LibraryService");
    expect(documentOf(...both, "--package", "library.v1")).toEqual(selected);
    expect(selected.tags).toEqual([{ name: "LibraryService" }]);
  });

  test("has a title, versions and a URL", async () => {
    const document = documentOf(
      ...["--descriptor", "library.binpb", "--title", "Books", "--api-version", "2.1"],
      ...["--openapi", "3.0", "--base-url", "https://library.example.com/api/"],
    );
    await expectValid(document);
    expect(document).toMatchObject({
      openapi: "3.0.4",
      info: { title: "Books", version: "2.1" },
      servers: [{ url: "https://library.example.com/api" }],
    });
  });

  test.each([
    ["rules.json", "/v2/{name}"],
    ["service.json", "/v3/{name}"],
  ])("replaces rules by those in %s", (file, path) => {
    const { paths } = documentOf("--descriptor", "garden.binpb", "--rules", file);
    expect(paths[path]?.get?.operationId).toBe("gardenGetPlant");
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    expect(operations.filter(({ operationId }) => /GetPlant/.test(operationId))).toHaveLength(1);
  });

  test.each([["openapi", "--help"], ["openapi", "-h"], ["--help"]])("%s %s shows the options", (...args) => {
    const { status, output, error } = start(...args);
    expect({ status, error }).toEqual({ status: 0, error: "" });
    expect(output).toMatch(/^Usage: connect-transcoding openapi /);
    for (const line of output.split("\n")) {
      expect(line.length).toBeLessThanOrEqual(100);
    }
  });
});

test.each<[args: string, message: string]>([
  ["", "a command is missing; available: openapi"],
  ["swagger", "'swagger' is not a command; available: openapi"],
  ["openapi", "openapi: --descriptor is missing; --help lists the options"],
  ["openapi --out x", "openapi: Unknown option '--out'; --help lists the options"],
  ["openapi --title", "openapi: Option '--title <value>' argument missing"],
  ["openapi garden.binpb", "openapi: Unexpected argument 'garden.binpb'"],
  ["openapi --descriptor garden.binpb --openapi 2.0", "openapi: --openapi must be 3.1 or 3.0, and not '2.0'"],
  ["openapi --descriptor garden.binpb --base-url /api", "openapi: --base-url must be an HTTP or HTTPS URL"],
  [
    "openapi --descriptor garden.binpb --base-url ftp://a",
    "openapi: --base-url must be an HTTP or HTTPS URL",
  ],
  [
    "openapi --descriptor garden.binpb --service Garden",
    "openapi: 'Garden' is not a service in the descriptors, which have: garden.v1.GardenService",
  ],
  [
    "openapi --descriptor garden.binpb --package garden",
    "openapi: 'garden' is not a package of the services, which are in: garden.v1",
  ],
])("%j are invalid arguments", (args, message) => {
  const { status, output, error } = start(...args.split(" ").filter(Boolean));
  expect(error).toContain(`connect-transcoding${args.startsWith("openapi") ? " " : ": "}${message}`);
  expect(error.split("\n")).toHaveLength(2);
  expect([status, output]).toEqual([64, ""]);
});

test.each<[args: string, message: string]>([
  ["--descriptor none.binpb", "'none.binpb' cannot be read: no such file"],
  ["--descriptor text.binpb", "'text.binpb' is not a descriptor set"],
  ["--descriptor empty.binpb", "'empty.binpb' is not a descriptor set"],
  ["--descriptor alone.binpb", "'alone.binpb' cannot be resolved; descriptor sets need all imports: "],
  ["--descriptor types.binpb", "no method of the services has a google.api.http rule"],
  ["--descriptor garden.binpb --rules none.json", "'none.json' cannot be read: no such file"],
  ["--descriptor garden.binpb --rules broken.json", "'broken.json' is not a google.api.Http in JSON: "],
  ["--descriptor garden.binpb --rules other.json", "'other.json' is not a google.api.Http in JSON: "],
  [
    "--descriptor garden.binpb --rules unknown.json",
    "a rule selects 'garden.v1.GardenService.Dig', which is not a registered method",
  ],
  [
    "--descriptor garden.binpb --rules invalid.json",
    "the path binds 'shape', which is not a field of garden.v1.GetPlantRequest",
  ],
])("invalid files in %s", (args, message) => {
  const { status, output, error } = start("openapi", ...args.split(" "));
  expect(error).toContain(message);
  expect([status, output]).toEqual([65, ""]);
});
