import type { DescMethod } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { describe, expect, test } from "vitest";
import {
  defineService,
  type MethodDefinition,
} from "../../packages/connect-transcoding/test/support/define-service.js";
import { deriveCommands } from "../../src/cli/derive-commands.js";
import { loadDocumentation } from "../../src/service/documentation.js";

const { comments } = loadDocumentation();
const COMMANDS = deriveCommands(Object.values(SERVICES), comments);
const commandNamed = (name: string) => COMMANDS.find((command) => command.name === name);

test("every command of the release", () => {
  const listed = COMMANDS.map(({ name, method, operand, batch, withoutOperand, fields }) => ({
    name,
    method: method.name,
    ...(operand === undefined ? {} : { operand: operand.name }),
    ...(batch === undefined ? {} : { batch: `${batch.method.name} ${batch.maxItems} ${batch.maxBytes}` }),
    ...(withoutOperand === undefined ? {} : { withoutOperand: withoutOperand.name }),
    ...(fields.size === 0 ? {} : { flags: [...fields.keys()].map((flag) => flag.name).join(" ") }),
  }));
  expect(listed).toEqual([
    { name: "about", method: "GetAbout" },
    { name: "barcode", method: "RenderBarcode", operand: "data", flags: "--format" },
    { name: "countries", method: "ListCountries" },
    { name: "country", method: "GetCountry", operand: "country", withoutOperand: "ListCountries" },
    { name: "email", method: "SanitizeEmail", operand: "email", batch: "BatchSanitizeEmails 1000 524288" },
    { name: "email explain", method: "ExplainEmail", operand: "email" },
    { name: "geoip", method: "LookupIp", operand: "ip_address", batch: "BatchLookupIps 1000 65536" },
    { name: "geoip self", method: "LookupSelf" },
    { name: "otp generate", method: "GenerateOtp", flags: "--label --issuer --digits" },
    { name: "otp verify", method: "VerifyOtp", operand: "secret", flags: "--digits" },
  ]);
});

test("every unary method is a command, or the batch of one", () => {
  const methods = Object.values(SERVICES).flatMap(({ methods }): readonly DescMethod[] => methods);
  const reached = new Set<DescMethod>(
    COMMANDS.flatMap(({ method, batch }) => [method, batch?.method ?? method]),
  );
  expect(methods.filter((method) => !reached.has(method)).map(({ name }) => name)).toEqual([]);
});

test("flags say what the protos say", () => {
  const [format] = commandNamed("barcode")?.fields.keys() ?? [];
  expect(format).toEqual({
    name: "--format",
    placeholder: "FORMAT",
    meaning: comments["utilitytools.v1.RenderBarcodeRequest.format"],
    choices: ["svg", "png"],
    isRepeated: false,
  });
  const [digits] = commandNamed("otp verify")?.fields.keys() ?? [];
  expect(digits?.choices).toEqual(["6", "8"]);
});

describe("flags of any message", () => {
  const derive = (...methods: MethodDefinition[]) => deriveCommands([defineService(methods)], {});

  test("are by the type of their fields", () => {
    const [command] = derive({
      name: "M",
      input: "CreateBookRequest",
      command: { name: "make", operand: "parent" },
    });
    expect([...(command?.fields.keys() ?? [])].map(({ name, placeholder }) => [name, placeholder])).toEqual([
      ["--book", "BOOK"],
      ["--dry-run", undefined],
    ]);
  });

  test.each<[string, MethodDefinition[], string]>([
    [
      "an unknown operand",
      [{ name: "M", command: { name: "m", operand: "nothing" } }],
      "names nothing, which is no field",
    ],
    [
      "an operand that is no string",
      [{ name: "M", input: "CreateBookRequest", command: { name: "m", operand: "dry_run" } }],
      "must be a string",
    ],
    [
      "an unknown batch",
      [{ name: "M", command: { name: "m", batch: "N" } }],
      "names N, which is no unary method",
    ],
    [
      "a batch of another form",
      [{ name: "M", input: "ReturnRequest", command: { name: "m", operand: "title", batch: "M" } }],
      "has not the form of a batch",
    ],
    [
      "a stream",
      [{ name: "M", serverStreaming: true, command: { name: "m" } }],
      "streams cannot be a command",
    ],
    ["a bad name", [{ name: "M", command: { name: "M m" } }], "cannot be the name"],
    [
      "two of a name",
      [
        { name: "M", command: { name: "m" } },
        { name: "N", command: { name: "m" } },
      ],
      "two commands 'm'",
    ],
  ])("%s is refused", (_name, methods, problem) => {
    expect(() => derive(...methods)).toThrow(problem);
    expect(() => derive(...methods)).toThrow(/^test\.Service\.[MN]: /);
  });
});
