import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Comments, commentOn, fieldDocsOf, firstSentence } from "connect-transcoding/openapi";
import { PICKS } from "../text/find-address.js";
import {
  choicesOf,
  fieldOption,
  flagName,
  imageFormatOf,
  isSecret,
  placeholderOf,
  plainText,
  type ToolCommand,
  takesSecret,
} from "./commands.js";
import { findingOf } from "./input/finder.js";
import { fileFlag } from "./input/operands.js";
import { addCodeFlag, checksCodes } from "./one-time-passwords.js";
import { summaryOfCommand } from "./output/summaries.js";
import { addExample, quoted } from "./root.js";

/** An example of a command, as typed in a shell. */
export function commandExample(tool: ToolCommand): string {
  const { name, operand, fields, withoutOperand, needsService } = tool;
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
    ...(withoutOperand === undefined ? inputs : inputs.slice(0, 1)),
    ...(format === undefined ? [] : ["--output", `${name}.${format}`]),
    ...(needsService ? ["--url", "https://tools.example.com"] : []),
  ];
  const typed = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word)));
  return ["utility-tools", ...typed].join(" ");
}

/** Adds the documentation, the argument and the flags of a tool command. */
export function describeTool(command: Command, tool: ToolCommand, comments: Comments): void {
  const { method, operand, fields } = tool;
  const comment = plainText(commentOn(method, comments));
  const isValue = tool.value !== undefined;
  const summary = isValue ? "Prints the current code of a secret" : firstSentence(comment);
  addExample(command, commandExample(tool));
  command
    .summary(summary.slice(0, 1).toLowerCase() + summary.slice(1))
    .description(isValue ? `${summary}.` : comment);
  if (operand !== undefined) {
    command.argument(
      `[${placeholderOf(operand)}${tool.returnsBytes ? "" : "..."}]`,
      operandHelp(tool, operand, comments),
    );
  }
  for (const field of fields) {
    command.addOption(fieldOption(field, comments));
  }
  if (checksCodes(tool) && !isValue) {
    addCodeFlag(command);
  }
  addStreamFlags(command, tool);
  addServiceFlags(command);
}

function operandHelp(tool: ToolCommand, operand: DescField, comments: Comments): string {
  const source = tool.returnsBytes
    ? "With no argument or -, read one line of standard input."
    : "With no argument or -, read one per line from standard input. Blank lines are skipped.";
  const notes = [
    plainText(commentOn(operand, comments)),
    ...(tool.uriOperand === undefined ? [] : ["A key URI (otpauth://...) can be given as well."]),
    source,
    ...(takesSecret(tool) ? ["On a terminal, it is asked for and not shown."] : []),
    ...(isSecret(operand)
      ? ["Other users of this machine can see arguments: standard input or a file is safer."]
      : []),
  ];
  return notes.join(" ");
}

/** Adds the flags for input and output. */
function addStreamFlags(command: Command, tool: ToolCommand): void {
  const { operand, returnsBytes: isImage } = tool;
  const { lists = [], counts = [] } = summaryOfCommand(tool) ?? {};
  const takesInput = operand !== undefined;
  const isList = takesInput && !isImage;
  const finding = isList ? findingOf(tool) : undefined;
  const names = counts.map(({ name }) => name).join(" and ");
  const flags: readonly (readonly [applies: boolean, flags: string, description: string])[] = [
    [
      takesInput,
      `-f, ${fileFlag(tool)} <FILE>`,
      isImage
        ? "read the text from this file, with its line breaks; - is standard input"
        : "read this file instead of standard input; - is standard input",
    ],
    [true, "-o, --output <FILE>", "write to this file instead of standard output"],
    [true, "--json", "write JSON, as the service does; one line per input if there are several"],
    [!isImage, "--csv", `write CSV${takesInput ? ", and read CSV" : ""}, with a header`],
    [
      isList,
      "--column <NAME>",
      `the column of the CSV with the inputs. Default: the one named like ${operand?.name}`,
    ],
    [
      !isImage,
      "--fields <NAMES>",
      `the fields to write, separated by commas${takesInput ? "; error is the error of an input" : ""}`,
    ],
    ...lists.map(({ field, noun }) => [!isImage, `--${field}`, `show the ${noun} as well`] as const),
    [!isImage, "--all", "show all fields on a terminal, rather than the main ones"],
    [
      isList && counts.length > 0,
      "--summary",
      `show how many inputs there are by ${names}, rather than each response`,
    ],
    [isList, "--all-errors", "write each error, rather than one line for equal errors"],
    [finding === "flag", "--find", "find the address in each line, such as that of a log"],
    [
      finding !== undefined,
      "--pick <WHICH>",
      "which address of a line: that of a field named as a client, else the first public one; or the first, the last, or all",
    ],
    [finding !== undefined, "--only-results", "leave out the lines in which addresses were found"],
    [isList, "--no-progress", "show no progress on the terminal while many inputs are read"],
  ];
  command.optionsGroup("Input and output:");
  for (const [, flag, description] of flags.filter(([applies]) => applies)) {
    const option = new Option(flag, description);
    if (flag.startsWith("-f, ")) {
      option.argParser(onlyOnce);
    }
    command.addOption(option.attributeName() === "pick" ? option.choices(PICKS) : option);
  }
}

/** Rejects a second value: the first one would silently be ignored. */
function onlyOnce(value: string, earlier: string | undefined): string {
  if (earlier !== undefined) {
    throw new InvalidArgumentError("The flag must not be given more than once.");
  }
  return value;
}

/** Adds the flags that select a running service. */
function addServiceFlags(command: Command): void {
  const url = "call the service at this URL instead of computing locally. Also UTILITY_TOOLS_URL";
  const key = "the API key. Other users can see arguments: UTILITY_TOOLS_API_KEY or a file is safer";
  command
    .optionsGroup("Calling a service:")
    .option("--url <URL>", url)
    .option("--api-key-file <FILE>", "file with the API key for the service")
    .option("--api-key <KEY>", key)
    .option("--timeout <DURATION>", "timeout of each call of the service, such as 500ms. Default: 10s");
}
