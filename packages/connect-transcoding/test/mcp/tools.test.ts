import {
  create,
  type DescMethod,
  type DescMethodUnary,
  type JsonObject,
  setExtension,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ToolOptionsSchema, tool } from "connect-transcoding/gen/connecttranscoding/v1/options_pb.js";
import { defineService, type MethodDefinition, ruleOf } from "connect-transcoding-testing/define-service.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createCaller } from "../../src/hosts/caller.js";
import { callTool } from "../../src/mcp/call-tool.js";
import type { LoadedOptions } from "../../src/mcp/options.js";
import { describeTools } from "../../src/mcp/tools.js";
import { healthRoutes } from "../../src/services/health.js";

const info = { name: "library", version: "1.0.0" };

/** The tools of methods whose implementation returns an empty message, or what `answer` is. */
function toolsOf(
  methods: readonly DescMethod[],
  options: Partial<LoadedOptions> = {},
  answer: Record<string, unknown> = {},
) {
  const routes = (router: ConnectRouter): void => {
    for (const method of methods) {
      router.rpc(method as DescMethodUnary, () => answer);
    }
  };
  const caller = createCaller({ routes });
  return { caller, tools: describeTools(caller, { info, comments: {}, ...options }) };
}

function methodsOf(...definitions: MethodDefinition[]): DescMethod[] {
  return defineService(definitions).methods;
}

/** The description of the only tool of a method. */
function descriptionOf(definition: MethodDefinition, options?: Partial<LoadedOptions>) {
  const [tool, ...others] = toolsOf(methodsOf(definition), options).tools.values();
  expect(others).toEqual([]);
  return tool?.description;
}

/** The result of the only tool of a method. */
async function resultOf(definition: MethodDefinition, args: JsonObject, answer?: Record<string, unknown>) {
  const { caller, tools } = toolsOf(methodsOf(definition), {}, answer);
  const [tool] = tools.values();
  if (tool === undefined) {
    throw new Error("there is no tool");
  }
  return await callTool(tool, args, caller, new AbortController().signal);
}

describe("names", () => {
  test.each([
    ["GetBook", "service_get_book"],
    ["GetHTTPBook", "service_get_http_book"],
    ["getbook2", "service_getbook2"],
    ["Get_Book", "service_get_book"],
    [
      "ReturnTheFirstBookOnTheLongestShelfInTheLargestRoomOfTheOldestLibrary",
      "book_on_the_longest_shelf_in_the_largest_room_of_the_oldest_library".slice(5),
    ],
  ])("%s is %s", (name, expected) => {
    expect(descriptionOf({ name })?.name).toBe(expected);
  });

  test("are as the option says", () => {
    expect(descriptionOf({ name: "GetBook" }, { tool: () => ({ name: "get-book" }) })?.name).toBe("get-book");
  });

  test("and whether a method is a tool, are as in the proto file, unless the option differs", () => {
    const named: MethodDefinition = {
      name: "GetBook",
      extend: (options) => setExtension(options, tool, create(ToolOptionsSchema, { name: "find_book" })),
    };
    const hidden: MethodDefinition = {
      name: "DropBook",
      extend: (options) => setExtension(options, tool, create(ToolOptionsSchema, { hidden: true })),
    };
    const methods = methodsOf(named, hidden);
    expect([...toolsOf(methods).tools.keys()]).toEqual(["find_book"]);
    const option = ({ name }: DescMethod) => ({ name: name.toLowerCase() });
    expect([...toolsOf(methods, { tool: option }).tools.keys()]).toEqual(["getbook", "dropbook"]);
  });

  test.each(["", "a b", "x".repeat(65)])("cannot be %j", (name) => {
    expect(() => descriptionOf({ name: "GetBook" }, { tool: () => ({ name }) })).toThrow(
      `test.Service.GetBook: the name of the tool '${name}' is not valid, or taken`,
    );
  });

  test("cannot be those of others", () => {
    const methods = methodsOf({ name: "GetBook" }, { name: "FindBook" });
    expect(() => toolsOf(methods, { tool: () => ({ name: "book" }) })).toThrow(
      "test.Service.FindBook: the name of the tool 'book' is not valid, or taken",
    );
  });
});

test("methods of grpc.*, and those that the option hides, are no tools", () => {
  const { methods } = createCaller({
    routes: healthRoutes({
      services: [],
      isServing: () => true,
      isStopping: () => false,
      onChange: () => () => {},
    }),
  });
  expect(methods.length).toBeGreaterThan(0);
  expect([...toolsOf(methods).tools]).toEqual([]);
  expect([...toolsOf(methodsOf({ name: "GetBook" }), { tool: () => "hidden" }).tools]).toEqual([]);
});

test.each<[MethodDefinition, object]>([
  [{ name: "GetBook", rule: ruleOf("GET /v1/books") }, { readOnlyHint: true }],
  [{ name: "GetBook", hasNoSideEffects: true }, { readOnlyHint: true }],
  [{ name: "GetBook" }, { readOnlyHint: false }],
  [{ name: "GetBook", rule: ruleOf("POST /v1/books") }, { readOnlyHint: false }],
  [
    { name: "GetBook", rule: ruleOf("DELETE /v1/books") },
    { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  ],
  [
    { name: "GetBook", rule: ruleOf("PATCH /v1/books") },
    { readOnlyHint: false, destructiveHint: true },
  ],
  [
    {
      name: "GetBook",
      extend: (options) => {
        options.idempotencyLevel = Idempotency.IDEMPOTENT;
      },
    },
    { readOnlyHint: false, idempotentHint: true },
  ],
])("hints of %j", (definition, expected) => {
  expect(descriptionOf(definition)?.annotations).toEqual(expected);
});

test("all methods of a library are tools with valid schemas", () => {
  const { tools } = toolsOf(LibraryService.methods.filter(({ methodKind }) => methodKind === "unary"));
  const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false });
  for (const { description } of tools.values()) {
    expect(description.inputSchema.type).toBe("object");
    for (const { $schema: _, ...schema } of [description.inputSchema, description.outputSchema ?? {}]) {
      expect(() => ajv.compile(schema)).not.toThrow();
    }
    expect(JSON.stringify(description.outputSchema ?? "")).not.toContain("description");
  }
  expect([...tools.keys()]).toContain("library_get_book");
  expect(tools.get("library_get_cover")?.description.outputSchema).toBeUndefined();
});

describe("a result", () => {
  const cover: MethodDefinition = {
    name: "GetCover",
    output: "Cover",
    rule: { ...ruleOf("GET /v1/covers"), responseBody: "image" },
  };

  test.each([
    ["image/png", { type: "image", data: "SGk=", mimeType: "image/png" }],
    ["audio/ogg", { type: "audio", data: "SGk=", mimeType: "audio/ogg" }],
    ["image/svg+xml", { type: "text", text: "Hi" }],
    ["text/plain; charset=utf-8", { type: "text", text: "Hi" }],
    [
      "application/pdf",
      {
        type: "resource",
        resource: { uri: "tool:service_get_cover", mimeType: "application/pdf", blob: "SGk=" },
      },
    ],
  ])("of the type %s", async (contentType, content) => {
    const image = { contentType, data: Buffer.from("Hi") };
    expect(await resultOf(cover, {}, { image })).toEqual({ content: [content] });
  });
});

test.each<[field: string, value: unknown, problem: string]>([
  ["stringValue", 9007199254740993n, "must be a string"],
  ["int32Value", 9007199254740993n, "is out of range; allowed: -2147483648 to 2147483647"],
  [
    "doubleValue",
    JSON.parse("1e400"),
    "is out of range; allowed: -1.7976931348623157e+308 to 1.7976931348623157e+308",
  ],
  [
    "doubles",
    [JSON.parse("-1e400")],
    "is out of range; allowed: -1.7976931348623157e+308 to 1.7976931348623157e+308",
  ],
])("the argument %s: %s is invalid", async (field, value, problem) => {
  const result = await resultOf({ name: "GetBook", input: "Specimen" }, { [field]: value } as JsonObject);
  const place = Array.isArray(value) ? `${field}[0]` : field;
  const text = `INVALID_ARGUMENT (INVALID_PARAMETERS): ${place}: ${problem}`;
  expect(result).toEqual({ content: [{ type: "text", text }], isError: true });
});
