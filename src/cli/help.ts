import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { Argument, type Command, Option } from "commander";
import { type Comments, commentOn, fieldDocsOf, firstSentence } from "connect-transcoding/openapi";
import { allowedSources, DEFAULT_SOURCES } from "../data-update/sources.js";
import { FOLDER_FILES, type FolderFile } from "../service/data-files/data-folder.js";
import { PICKS } from "../text/find-address.js";
import {
  fieldOption,
  flagName,
  isSecret,
  placeholderOf,
  plainText,
  type ToolCommand,
  takesSecret,
} from "./commands.js";
import { SHELLS } from "./definitions/completion.js";
import { imageFormats } from "./image-format.js";
import { findingOf } from "./input/finder.js";
import { fileFlag } from "./input/operands.js";
import { addCodeFlag, checksCodes } from "./one-time-passwords.js";
import { listsOf, summaryOfCommand } from "./output/summaries.js";
import { addExample } from "./root.js";

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
  const [format] = imageFormats(tool)?.names ?? [];
  const words = [
    ...name.split(" "),
    ...(withoutOperand === undefined ? inputs : inputs.slice(0, 1)),
    ...(format === undefined ? [] : ["--output", `${name}.${format}`]),
    ...(needsService ? ["--url", "https://tools.example.com"] : []),
  ];
  return ["utility-tools", ...words.map(shellWord)].join(" ");
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
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
  const { operand } = tool;
  const isImage = tool.returnsBytes;
  command.optionsGroup("Input and output:");
  if (operand !== undefined) {
    command.option(
      `-f, ${fileFlag(tool)} <FILE>`,
      isImage
        ? "read the text from this file, with its line breaks; - is standard input"
        : "read this file instead of standard input; - is standard input",
    );
  }
  command.option("-o, --output <FILE>", "write to this file instead of standard output");
  command.option("--json", "write JSON, as the service does; one line per input if there are several");
  if (!isImage) {
    command.option("--csv", `write CSV${operand === undefined ? "" : ", and read CSV"}, with a header`);
    if (operand !== undefined) {
      command.option(
        "--column <NAME>",
        `the column of the CSV with the inputs. Default: the one named like ${operand.name}`,
      );
    }
    command.option(
      "--fields <NAMES>",
      `the fields to write, separated by commas${operand === undefined ? "" : "; error is the error of an input"}`,
    );
  }
  if (!isImage) {
    for (const { field, noun } of listsOf(tool)) {
      command.option(`--${field}`, `show the ${noun} as well`);
    }
    command.option("--all", "show all fields on a terminal, rather than the main ones");
  }
  if (operand !== undefined && !isImage) {
    const { counts = [] } = summaryOfCommand(tool) ?? {};
    if (counts.length > 0) {
      const names = counts.map(({ name }) => name).join(" and ");
      command.option("--summary", `show how many inputs there are by ${names}, rather than each response`);
    }
    command.option("--all-errors", "write each error, rather than one line for equal errors");
    addFindFlags(command, tool);
    command.option("--no-progress", "show no progress on the terminal while many inputs are read");
  }
}

/** Adds the flags for inputs in lines of other text. */
function addFindFlags(command: Command, tool: ToolCommand): void {
  const finding = findingOf(tool);
  if (finding === undefined) {
    return;
  }
  if (finding === "flag") {
    command.option("--find", "find the address in each line, such as that of a log");
  }
  command
    .addOption(
      new Option(
        "--pick <WHICH>",
        "which address of a line: that of a field named as a client, else the first public one; or the first, the last, or all",
      ).choices(PICKS),
    )
    .option("--only-results", "leave out the lines in which addresses were found");
}

/** Adds the flags that select a running service. */
function addServiceFlags(command: Command): void {
  command
    .optionsGroup("Calling a service:")
    .option(
      "--url <URL>",
      "call the service at this URL instead of computing locally. Also UTILITY_TOOLS_URL",
    )
    .option("--api-key-file <FILE>", "file with the API key for the service")
    .option(
      "--api-key <KEY>",
      "the API key. Other users can see arguments: UTILITY_TOOLS_API_KEY or a file is safer",
    )
    .option("--timeout <DURATION>", "timeout of each call of the service, such as 500ms. Default: 10s");
}

/** Adds the description and the flags of `make-key`. */
export function describeMakeKey(command: Command): void {
  addExample(command, "utility-tools make-key alice --append keys.txt");
  command
    .summary("create an API key")
    .description(
      "Create an API key. The key alone is written to standard output, only once; everything else is written to " +
        "standard error.",
    )
    .argument("<NAME>", "the owner of the key: 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'")
    .option(
      "--append <FILE>",
      "append the line of the key to this file, which is created (mode 0600) if it is missing",
    )
    .option(
      "--expires <DATE>",
      "reject the key from this date or time (UTC) on: 2027-01-31 or 2027-01-31T12:00:00Z",
    );
}

/** Adds the description of `healthcheck`. */
export function describeHealthcheck(command: Command): void {
  addExample(command, "PORT=9000 utility-tools healthcheck");
  command
    .summary("ask the running service whether it is ready")
    .description(
      "Ask the service on this machine whether it is ready. HOST, PORT and TLS_CERT_FILE are read from the environment, as the " +
        "service reads them. Exits with 0 if it is ready, 1 if it is not ready or does not respond within two seconds, 78 if a " +
        "setting is invalid.",
    );
}

/** What the files of `update-data` have. */
const FILE_CONTENTS: Readonly<Record<FolderFile, string>> = {
  city: "locations",
  asn: "autonomous systems",
  disposable: "disposable e-mail domains",
};

/** Adds the description and the flags of `update-data`. */
export function describeUpdateData(command: Command): void {
  addExample(command, "utility-tools update-data --check");
  command
    .summary("download newer data files")
    .description(
      "Download newer data files for IP lookups and e-mail addresses, check them, and put them into the data folder. A running service uses " +
        "them within seconds. A file that fails a check changes nothing. The sources geolite2 and geoip2 need " +
        "MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY in the environment, ipinfo needs IPINFO_TOKEN. Downloads use the proxies " +
        "in HTTP_PROXY, HTTPS_PROXY and NO_PROXY.",
    );
  for (const database of FOLDER_FILES) {
    command.option(
      `--${database}-source <SOURCE>`,
      `source of ${FILE_CONTENTS[database]}: ${allowedSources(database)}, or none. ` +
        `Also DATA_${database.toUpperCase()}_SOURCE. Default: ${DEFAULT_SOURCES[database]}`,
    );
  }
  command
    .option(
      "--data-dir <FOLDER>",
      "the data folder. Also DATA_DIR. Default: data/updates of the installation",
    )
    .option("--timeout <DURATION>", "time for each of three attempts to download a file. Default: 10m")
    .option("--check", "show the age of the data in use, and download nothing")
    .option("--every <DURATION>", "repeat until it is stopped, such as 1d")
    .option("--max-age <DURATION>", "with --check: exit with 3 if data is older, such as 60d");
}

/** Adds the description and the argument of `completion`. */
export function describeCompletion(command: Command): void {
  addExample(
    command,
    "utility-tools completion bash > ~/.local/share/bash-completion/completions/utility-tools",
  );
  command
    .summary("print the script for completion in a shell")
    .description(
      "Print the script that completes commands, flags and values in a shell. For bash, write it to " +
        "~/.local/share/bash-completion/completions/utility-tools; for zsh, to _utility-tools in a folder of $fpath; for fish, to " +
        "~/.config/fish/completions/utility-tools.fish.",
    )
    .addArgument(new Argument("<SHELL>", "the shell").choices(SHELLS));
}
