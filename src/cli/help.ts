import { type DescField, ScalarType } from "@bufbuild/protobuf";
import type { Command, Option } from "commander";
import { type Comments, commentOn, fieldDocsOf, firstSentence } from "connect-transcoding/openapi";
import { readHttpBindings } from "connect-transcoding/rules";
import { COMMON_FLAGS } from "../program-flags.js";
import { PICKS } from "../text/find-address.js";
import { COMMAND_TEXTS } from "./command-texts.js";
import {
  choicesOf,
  fieldOption,
  flagName,
  imageFormatOf,
  isSecret,
  lowerCased,
  placeholderOf,
  plainText,
  type ToolCommand,
  takesSecret,
} from "./commands.js";
import { createFlag } from "./common-flags.js";
import { findingOf } from "./input/finder.js";
import { fileFlag } from "./input/operands.js";
import { addCodeFlag, checksCodes } from "./one-time-passwords.js";
import { columnsOf } from "./output/columns.js";
import { summaryOfCommand } from "./output/summaries.js";
import { addExamples, quoted } from "./root.js";

/** An example of a command, as typed in a shell. */
export function commandExample(tool: ToolCommand): string {
  const { name, operand, fields, needsService } = tool;
  // A field with a default value is one of the options.
  const texts = fields.filter(
    (field) => field.scalar === ScalarType.STRING && fieldDocsOf(field).defaultValue === "",
  );
  const flags = texts.flatMap((field) => [flagName(field.name), fieldDocsOf(field).example]);
  const inputs =
    operand === undefined
      ? flags
      : takesSecret(tool)
        ? [fileFlag(tool), `${operand.name}.txt`]
        : [fieldDocsOf(operand).example];
  const image = imageFormatOf(tool);
  const [format] = image === undefined ? [] : choicesOf(image);
  const words = [
    ...name.split(" "),
    ...inputs,
    ...(format === undefined ? [] : ["--output", `${name}.${format}`]),
    ...(needsService ? ["--url", "https://tools.example.com"] : []),
  ];
  const typed = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word)));
  return ["utility-tools", ...typed].join(" ");
}

/** Adds the documentation, the argument and the flags of a tool command. */
export function describeTool(command: Command, tool: ToolCommand, comments: Comments): void {
  const { name, method, operand, fields } = tool;
  const { summary = lowerCased(firstSentence(plainText(commentOn(method, comments)))), examples = [] } =
    COMMAND_TEXTS[name] ?? {};
  addExamples(command, [commandExample(tool), ...examples.map((each) => `utility-tools ${each}`)]);
  command.summary(summary).description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  if (operand !== undefined) {
    command.argument(
      `[${placeholderOf(operand)}${tool.returnsBytes ? "" : "..."}]`,
      operandHelp(tool, operand, comments),
    );
  }
  for (const field of fields) {
    command.addOption(fieldOption(field, comments));
  }
  if (checksCodes(tool) && tool.value === undefined) {
    addCodeFlag(command);
  }
  for (const flag of streamFlags(tool)) {
    command.addOption(flag);
  }
}

function operandHelp(tool: ToolCommand, operand: DescField, comments: Comments): string {
  const what =
    COMMAND_TEXTS[tool.name]?.operand ?? lowerCased(firstSentence(plainText(commentOn(operand, comments))));
  const notes = [
    tool.uriOperand === undefined ? what : `${what}, or a key URI (otpauth://...)`,
    tool.returnsBytes ? "Default: the line of standard input" : "Default: the lines of standard input",
    ...(takesSecret(tool) ? ["A terminal asks for it, and does not show it"] : []),
    ...(isSecret(operand) ? ["Other users can see arguments"] : []),
  ];
  return notes.join(". ");
}

/** The flags that are not fields of the request: those for input and output, and those that select a service. */
function streamFlags(tool: ToolCommand): Option[] {
  const { operand, returnsBytes: isImage, method } = tool;
  const { lists = [], counts = [] } = summaryOfCommand(tool) ?? {};
  const takesInput = operand !== undefined;
  const isList = takesInput && !isImage;
  const finding = isList ? findingOf(tool) : undefined;
  const names = counts.map(({ name }) => name).join(" and ");
  const file = `-f, ${fileFlag(tool)} <FILE>`;
  const notFor: readonly string[] = [
    ...(takesInput ? [] : ["-f, --file <FILE>"]),
    ...(isImage ? ["--csv", "--fields <NAMES>", "--all"] : []),
    ...(isList ? [] : ["--column <NAME>", "--all-errors", "--no-progress"]),
  ];
  const common = COMMON_FLAGS.filter(([flag]) => !notFor.includes(flag)).map(([flag, description]) =>
    createFlag(flag.startsWith("-f, ") ? file : flag, description),
  );
  const own: readonly (readonly [applies: boolean, flags: string, description: string])[] = [
    ...lists.map(({ field, noun }) => [!isImage, `--${field}`, `show the ${noun} as well`] as const),
    [
      isList && counts.length > 0,
      "--summary",
      `count the inputs by ${names}, rather than showing each response`,
    ],
    [finding === "flag", "--find", "find the address in each line, such as that of a log"],
    [finding !== undefined, "--only-results", "leave out the lines in which addresses were found"],
  ];
  const flags = [
    ...own.filter(([applies]) => applies).map(([, flag, description]) => createFlag(flag, description)),
    ...(finding === undefined ? [] : [pickFlag()]),
    ...common,
  ];
  const [binding = { responseBody: undefined }] = readHttpBindings(method);
  const desc = binding.responseBody?.message ?? method.output;
  for (const flag of flags.filter(({ long }) => long === "--fields")) {
    // For completion. The names are checked with the other arguments.
    flag.argChoices = [...columnsOf(desc).map(({ name }) => name), ...(takesInput ? ["error"] : [])];
  }
  return flags;
}

function pickFlag(): Option {
  return createFlag(
    "--pick <WHICH>",
    "which address of a line: that of a field named as a client, else the first public one; or the first, the last, or all " +
      `(choices: ${PICKS.join(", ")})`,
    PICKS,
  );
}
