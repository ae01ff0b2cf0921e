import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { DescService } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { collectMethods } from "connect-transcoding";
import { beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/read-config.js";
import { loadToolsFor } from "../../src/tools/load-tools.js";
import type { Tool } from "../../src/tools/tool.js";
import { TOOL_SERVICES } from "../../src/tools/tool-services.js";
import { realTools } from "../contract/support/serve.js";
import { requireData, watchNothing } from "../support/release-tools.js";

// A service in the proto files needs a tool. These tests fail with the missing part; see
// docs/guide/adding-a-tool.md.

/** Returns the files of a folder whose names end like this; none if it does not exist. */
function filesOf(folder: string, ending: string): URL[] {
  const url = new URL(`../../${folder}/`, import.meta.url);
  return existsSync(url)
    ? readdirSync(url)
        .filter((name) => name.endsWith(ending))
        .map((name) => new URL(name, url))
    : [];
}

let tools: readonly Tool[] = [];
beforeAll(async () => {
  tools = await realTools();
});

describe.each(Object.entries(SERVICES))("the service %s", (_name, service) => {
  // The proto file and the folder have the same name: mime_type.proto, mime-type/.
  const folder = (service.file.name.split("/").at(-1) ?? "").replaceAll("_", "-");

  test("is in the list of tools", () => {
    expect(
      TOOL_SERVICES.includes(service),
      `${service.typeName} has no tool: add a line { service: "${service.typeName}", module: () => import("./${folder}/…") } to ` +
        "TOOLS in src/tools/load-tools.ts",
    ).toBe(true);
  });

  test("has a folder with its tool", () => {
    expect(
      filesOf(`src/tools/${folder}`, ".ts"),
      `${service.typeName} has no folder: add src/tools/${folder}/ with a module that exports \`load\` (see ToolModule in ` +
        "src/tools/tool.ts)",
    ).not.toEqual([]);
  });

  test("has tests", () => {
    expect(
      filesOf(`test/tools/${folder}`, ".test.ts"),
      `${service.typeName} has no tests: add test/tools/${folder}/${folder}-service.test.ts`,
    ).not.toEqual([]);
  });

  test("has an implementation of every method", () => {
    const tool = tools.find((each) => each.service === service);
    expect(
      tool,
      `no module in src/tools/load-tools.ts creates the tool of ${service.typeName}`,
    ).toBeDefined();
    expect(tool && collectMethods(tool.routes).map(({ method }) => method)).toEqual(service.methods);
  });

  test("has the JSON names of its fields in snake case", () => {
    const named = service.file.messages.flatMap(({ fields }) => fields);
    expect(
      named
        .filter(({ jsonName }) => /[A-Z]/.test(jsonName))
        .map((field) => `${field}: json_name = "${field.name}"`),
      `the JSON of this service is in snake case: add these to ${service.file.name}.proto`,
    ).toEqual([]);
  });

  test("has sources if it reads data files", () => {
    const readers = filesOf(`src/tools/${folder}`, ".ts").filter((file) =>
      /from "(?:node:fs|.*\/data-files\/)/.test(readFileSync(file, "utf8")),
    );
    const sources = tools.find((each) => each.service === service)?.sources?.() ?? [];
    expect(
      readers.length > 0 && sources.length === 0 ? readers : [],
      `${service.typeName} reads data files, but has no sources: pass \`sources\` to createTool, so that AboutService names ` +
        "the publisher and the license of the data",
    ).toEqual([]);
  });
});

describe("loadToolsFor", () => {
  async function loadedFor(service: DescService) {
    const config = readConfig({});
    if (!config.ok) {
      throw new Error(config.failure.description);
    }
    const loaded = await loadToolsFor(service, config.value, {
      now: Date.now,
      randomBytes: (size) => new Uint8Array(size),
      watchFiles: watchNothing,
      report: requireData,
    });
    return loaded.ok ? loaded.value.map((tool) => tool.service) : loaded.failure;
  }

  test("loads only the tool of a service", async () => {
    expect(await loadedFor(SERVICES.otp)).toEqual([SERVICES.otp]);
  });

  test("loads all tools for the service that describes them", async () => {
    expect(await loadedFor(SERVICES.about)).toEqual(TOOL_SERVICES);
  });
});
