import {
  create,
  createRegistry,
  type DescMethod,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import type { MethodOptions } from "@bufbuild/protobuf/wkt";
import { SERVICES } from "@utility-tools/protos/services.js";
import {
  CommandSchema,
  command as commandOption,
} from "@utility-tools/protos/utilitytools/command/v1/command_pb.js";
import { defineService, type MethodDefinition } from "connect-transcoding-testing/define-service.js";
import { describe, expect, test } from "vitest";
import { deriveCommands, fieldOption, readRequest } from "../../src/cli/commands.js";
import { loadDocumentation } from "../../src/service/documentation.js";

const withCommand = (value: MessageInitShape<typeof CommandSchema>) => (options: MethodOptions) =>
  setExtension(options, commandOption, create(CommandSchema, value));

const { comments } = loadDocumentation();
const COMMANDS = deriveCommands(Object.values(SERVICES));
const commandNamed = (name: string) => COMMANDS.find((command) => command.name === name);

test("every unary method is a command, or the batch method of one", () => {
  const methods = Object.values(SERVICES).flatMap(({ methods }): readonly DescMethod[] => methods);
  const reached = new Set<DescMethod>(
    COMMANDS.flatMap(({ method, batch }) => [method, batch?.method ?? method]),
  );
  expect(methods.filter((method) => !reached.has(method)).map(({ name }) => name)).toEqual([]);
});

test("flags have the first sentence of the documentation, the choices and the defaults of the protos", () => {
  const [format, digits] = ["barcode", "otp verify"]
    .flatMap((name) => commandNamed(name)?.fields.slice(0, 1) ?? [])
    .map((field) => fieldOption(field, comments));
  expect(format).toMatchObject({
    flags: "--format <FORMAT>",
    description: "the image format (choices: svg, png, text; default: svg)",
  });
  expect(digits?.description).toMatch(/ \(choices: 6, 8; default: 6\)$/);
});

describe("flags of any message", () => {
  const derive = (...methods: MethodDefinition[]) => deriveCommands([defineService(methods)]);

  test("depend on the types of the fields", () => {
    const [command] = derive({
      name: "M",
      input: "CreateBookRequest",
      extend: withCommand({ name: "m", operand: "parent" }),
    });
    const flags = command?.fields.map((field) => fieldOption(field, {}).flags);
    expect(flags).toEqual(["--book <BOOK>", "--dry-run"]);
  });

  const M = { name: "M", input: "CreateBookRequest" };
  test.each<[string, Partial<MethodDefinition>, string]>([
    [
      "an unknown operand",
      { extend: withCommand({ name: "m", operand: "nothing" }) },
      "names nothing, which is not a field",
    ],
    [
      "an operand of another type",
      { extend: withCommand({ name: "m", operand: "dry_run" }) },
      "must be a string",
    ],
    [
      "an unknown batch",
      { extend: withCommand({ name: "m", batch: "N" }) },
      "names N, which is not a unary method",
    ],
    [
      "another form",
      { extend: withCommand({ name: "m", operand: "parent", batch: "M" }) },
      "has not the form of a batch",
    ],
    [
      "a stream",
      { serverStreaming: true, extend: withCommand({ name: "m" }) },
      "streams cannot be a command",
    ],
    ["a bad name", { extend: withCommand({ name: "M m" }) }, "cannot be the name"],
  ])("%s throws an Error", (_name, method, problem) => {
    expect(() => derive({ ...M, ...method })).toThrow(problem);
    expect(() => derive({ ...M, ...method })).toThrow(/^test\.Service\.M: /);
  });

  test("two commands of one name throw an Error", () => {
    const extend = withCommand({ name: "m" });
    expect(() => derive({ name: "M", extend }, { name: "N", extend })).toThrow("two commands 'm'");
  });
});

describe("a request", () => {
  const registry = createRegistry(...Object.values(SERVICES).map(({ file }) => file));
  const generate = COMMANDS.find(({ name }) => name === "otp generate");

  function read(values: Record<string, string>) {
    return generate && readRequest(generate, values, registry);
  }

  test("has the values of flags", () => {
    const build = read({ digits: "8", label: "" });
    expect(build?.ok && build.value(undefined)).toMatchObject({ digits: 8, label: "" });
  });

  test("reports every invalid flag", () => {
    expect(read({ digits: "x", label: "\ud800" })).toEqual({
      ok: false,
      failure: [expect.stringMatching(/^--label /), expect.stringMatching(/^--digits must be an integer/)],
    });
  });
});
