import { GardenService, PlantSchema } from "connect-transcoding-testing/gen/garden/v1/garden_pb.js";
import { BookSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { isDeprecated } from "../../../src/openapi/documentation.js";
import type { Schema } from "../../../src/openapi/open-api.js";
import { createFactsOf } from "../../../src/openapi/schemas/google-annotations.js";
import { documentOf, expectValid } from "../describe.js";
import { parametersOf } from "../validator.js";

const DOCUMENT = documentOf(GardenService, {
  "garden.v1.Plant.name": "The name.",
  "garden.v1.Season.SEASON_SPRING": "When plants grow.",
  "garden.v1.Season.SEASON_FIFTH": "When plants rest.",
});
const { schemas } = DOCUMENT.components;

function property(component: string, name: string): Schema | undefined {
  return schemas[component]?.properties?.[name];
}

test("the document of annotated methods is valid", async () => {
  await expectValid(DOCUMENT);
});

describe("google.api.field_behavior", () => {
  test("REQUIRED fields are required in requests; a message can still be absent in responses", () => {
    expect(schemas.PlantInput?.required).toEqual(["species", "pot"]);
    expect(schemas.Plant?.required).toEqual([
      "name",
      "species",
      "tags",
      "color",
      "season",
      "height",
      "oldSeason",
      "origin",
    ]);
    const { post } = DOCUMENT.paths["/v1/gardens/{parent}/plants"] ?? {};
    expect(post?.requestBody?.required).toBe(true);
    expect(parametersOf(post).map(({ name, required }) => [name, required])).toEqual([
      ["parent", true],
      ["plantId", true],
    ]);
  });

  test("an update can omit REQUIRED fields, and updates of one message share a schema", () => {
    const bodies = [
      DOCUMENT.paths["/v1/gardens/{name_1}/plants/{name_2}"]?.patch,
      DOCUMENT.paths["/v2/gardens/{plant.name_1}/plants/{plant.name_2}"]?.patch,
    ].map((operation) => operation?.requestBody?.content["application/json"]?.schema);
    const update = { $ref: "#/components/schemas/PlantUpdate" };
    expect(bodies).toEqual([update, update]);
    const { required: _, ...optional } = schemas.PlantInput ?? {};
    expect(schemas.PlantUpdate).toEqual(optional);
  });

  test("OUTPUT_ONLY fields are read-only, and not in requests", () => {
    expect(property("Plant", "createTime")).toEqual({ type: "string", format: "date-time", readOnly: true });
    expect(property("Plant", "roots")).toEqual({ $ref: "#/components/schemas/Plant.Roots", readOnly: true });
    expect(property("PlantInput", "createTime")).toBeUndefined();
    const parameters = parametersOf(DOCUMENT.paths["/v1/plants:find"]?.get).map(({ name }) => name);
    expect(parameters).toContain("like.species");
    expect(parameters).not.toContain("like.createTime");
    expect(parameters).not.toContain("like.roots.depth");
  });

  test("INPUT_ONLY fields are write-only, and not in responses", () => {
    expect(property("PlantInput", "secret")).toEqual({ type: "string", writeOnly: true });
    expect(property("Plant", "secret")).toBeUndefined();
  });

  test("examples have the fields of their direction", () => {
    const { post } = DOCUMENT.paths["/v1/gardens/{parent}/plants"] ?? {};
    expect(post?.requestBody?.content["application/json"]?.examples).toEqual({
      CreatePlant: { value: { species: "", pot: {} } },
    });
    const content = post?.responses[200];
    expect(JSON.stringify(content)).toContain('"roots":{"depth":0}');
    expect(JSON.stringify(content)).not.toContain("secret");
  });

  test.each([
    ["species", "Cannot be changed after it is set."],
    ["tags", "The elements have no particular order."],
    ["color", "If it is absent or empty, the server sets a value."],
  ])("the description of %s has the rest", (name, description) => {
    expect(property("Plant", name)?.description).toBe(description);
  });
});

describe("resources", () => {
  test("the name of a resource has its patterns", () => {
    expect(property("Plant", "name")?.description).toBe(
      "The name.\n\nThe name of the resource: `gardens/{garden}/plants/{plant}` or `plants/{plant}`. " +
        "Not needed to create the resource.",
    );
  });

  test("a reference has the type, and the patterns that are known", () => {
    const parameters = parametersOf(DOCUMENT.paths["/v1/plants:find"]?.get);
    const described = (name: string) => parameters.find((each) => each.name === name)?.description;
    expect(property("Plant", "origin")?.description).toBe(
      "The name of a resource of the type `garden.example.com/Garden`: `gardens/{garden}`.",
    );
    expect(described("unknown")).toBe("The name of a resource of the type `other.example.com/Thing`.");
    expect(described("near")).toBeUndefined();
  });

  test("patterns can be those of an imported file", () => {
    const importing = { ...BookSchema, file: { ...BookSchema.file, dependencies: [PlantSchema.file] } };
    const { origin } = PlantSchema.field;
    expect(createFactsOf([importing])(origin)).toBe(
      "The name of a resource of the type `garden.example.com/Garden`: `gardens/{garden}`.",
    );
    expect(createFactsOf([BookSchema])(origin)).toBe(
      "The name of a resource of the type `garden.example.com/Garden`.",
    );
  });

  test("a reference to a child names the parent", () => {
    const { methods } = GardenService;
    const create = methods.filter(({ name }) => name === "CreatePlant");
    const field = create[0]?.input.field.parent;
    expect(field && createFactsOf(create.map(({ output }) => output))(field)).toBe(
      "The name of the parent of a resource of the type `garden.example.com/Plant`: " +
        "`gardens/{garden}/plants/{plant}` or `plants/{plant}`.",
    );
  });
});

describe("deprecated", () => {
  test("methods, messages, fields and enums are", () => {
    const { post } = DOCUMENT.paths["/v1/gardens/{name_1}/plants/{name_2}:water"] ?? {};
    expect(post?.deprecated).toBe(true);
    expect(DOCUMENT.paths["/v1/gardens/{name_1}/plants/{name_2}"]?.get?.deprecated).toBeUndefined();
    expect(schemas.Pot?.deprecated).toBe(true);
    expect(schemas.PotInput?.deprecated).toBe(true);
    expect(schemas.Plant?.deprecated).toBeUndefined();
    expect(property("Plant", "height")?.deprecated).toBe(true);
    expect(property("Plant", "oldSeason")?.deprecated).toBe(true);
    const parameters = parametersOf(DOCUMENT.paths["/v1/plants:find"]?.get);
    expect(parameters.flatMap(({ name, deprecated }) => (deprecated ? [name] : []))).toEqual([
      "like.height",
      "like.oldSeason",
    ]);
  });

  test("enum values are in the description of their field", () => {
    expect(property("Plant", "season")?.description).toBe(
      "- `SEASON_SPRING`: When plants grow.\n- `SEASON_FIFTH`: Deprecated. When plants rest.",
    );
  });

  test("everything in a file is, and methods of a service are", () => {
    const { methods, file } = GardenService;
    const [get] = methods;
    expect(get && isDeprecated(get)).toBe(false);
    const oldFile = { ...file, deprecated: true };
    const inFile = get && { ...get, parent: { ...get.parent, file: oldFile } };
    const inService = get && { ...get, parent: { ...get.parent, deprecated: true } };
    expect([inFile && isDeprecated(inFile), inService && isDeprecated(inService)]).toEqual([true, true]);
    expect(get && isDeprecated({ ...get.output, file: oldFile })).toBe(true);
  });
});
