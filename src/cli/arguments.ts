import { extname } from "node:path";
import type { Registry } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { PICKS } from "../text/find-address.js";
import { readRemoteOptions } from "./calls/calls.js";
import {
  choicesOf,
  type FlagValue,
  flagName,
  fullViewOf,
  imageFormatOf,
  readRequest,
  type ToolCommand,
} from "./commands.js";
import { commandExample } from "./help.js";
import { findingOf } from "./input/finder.js";
import { fileFlag, type Operands, readOperands } from "./input/operands.js";
import { isSameFile } from "./input/streams.js";
import { isCode } from "./one-time-passwords.js";
import { type Column, columnsOf, selectColumns } from "./output/columns.js";
import { responseFormats } from "./output/formats.js";
import type { OutputFormat } from "./output/results.js";
import { summaryOf } from "./output/summaries.js";
import type { CommonFlags, ProcessContext } from "./run.js";

/**
 * Reads the arguments that commander has parsed. Throws a `CommanderError` with everything that is invalid, after commander has
 * printed it.
 */
export async function readArguments(
  command: ToolCommand,
  parsed: Command,
  { env, input, out, registry }: ProcessContext,
) {
  const flags = parsed.opts<CommonFlags>();
  const { json = false, csv: isCsv = false, summary = false, code, output } = flags;
  const file = flags.file ?? flags.secretFile;
  const format = isCsv ? "csv" : json ? "json" : "text";
  const selection = readSelection(command, flags.fields, format, registry);
  const suffix = formatBySuffix(command, output, parsed.getOptionValue("format"));
  const view = fullViewOf(command);
  // People see the summary of the full view.
  const isShown = format === "text" && output === undefined && out.isTerminal;
  const needsFullView = selection.ok && (selection.value.needsFullView || isShown || summary);
  /** The values of the flags, by the local names of their fields. */
  const values: Readonly<Record<string, unknown>> = {
    ...(needsFullView && view && { [view.field.localName]: view.value }),
    ...flags,
    ...(suffix.ok && suffix.value && { [suffix.value.field.localName]: suffix.value.value }),
  };
  const build = readRequest(command, values, registry);
  const operands = readOperands(command, parsed.args, {
    isTerminal: input.isTerminal,
    file,
    isCsv,
    example: commandExample(command),
  });
  const given = operands.ok ? operands.value : ({ kind: "none" } as const);
  const isMany = given.kind === "many";
  const remote = await readRemoteOptions(flags, env);
  const needsFind = findingOf(command) === "flag" && !flags.find;
  /** What must not be, and what is then wrong. */
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [code !== undefined && isMany && given.operands.length > 1, "--code checks one secret"],
    [
      file !== undefined && output !== undefined && isSameFile(file, output),
      `--output must not be the file of ${fileFlag(command)}`,
    ],
    [isCsv && json, "--csv and --json must not be given together"],
    [summary && flags.fields !== undefined, "--summary and --fields must not be given together"],
    [
      needsFind && (flags.pick ?? flags.onlyResults) !== undefined,
      "--pick and --only-results need --find as well",
    ],
    [
      flags.pick !== undefined && !PICKS.some((each) => each === flags.pick),
      `--pick must be ${PICKS.join(", ")}`,
    ],
    [flags.column !== undefined && !isCsv, "--column needs --csv as well"],
    [code !== undefined && !isCode(code), "--code must be a code of digits, or of Steam's five letters"],
    [code !== undefined && isCsv, "--code and --csv must not be given together"],
    [!remote.ok && remote.failure.reason === "USAGE", remote.ok ? "" : remote.failure.description],
    [
      remote.ok && remote.value === undefined && command.needsService,
      `needs --url, because only a service sees the address of this client: '${commandExample(command)}'`,
    ],
  ];
  const problems = [
    ...(build.ok ? [] : build.failure),
    ...[selection, suffix, operands].flatMap((each) => (each.ok ? [] : [each.failure.description])),
    ...rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : [])),
  ];
  if (problems.length > 0 || !build.ok || !selection.ok) {
    return parsed.error(problems.join("; "));
  }
  return {
    flags,
    file,
    format,
    selection: selection.value,
    values,
    build: build.value,
    operands: readAs(given, code !== undefined, summary),
    /** The running service to call; undefined: none. The failure is a file that cannot be read. */
    remote,
  } as const;
}

/** A check has one input, which may be that of a list. A summary is that of a list. */
function readAs(operands: Operands, isCheck: boolean, isSummary: boolean): Operands {
  if (isCheck && operands.kind === "many") {
    return { kind: "whole_input", isFile: true };
  }
  return isSummary && operands.kind === "one" ? { kind: "many", operands: [operands.text] } : operands;
}

/** The column with the error of an input. */
const ERROR_COLUMN = "error";

/**
 * Reads the value of `--fields`: names that commas separate. `error` is the error of an input. CSV has it unless columns are
 * selected. A command whose output is one value has that field by default.
 */
function readSelection(
  { method, value, operand }: ToolCommand,
  fields: string | undefined,
  format: OutputFormat,
  registry: Registry,
) {
  const formats = responseFormats(method, registry);
  const desc = formats.element ?? formats.desc;
  const all = desc === undefined ? [] : columnsOf(desc);
  if (fields === undefined) {
    const isValue = ({ fields: path }: Column) => path.every((field, index) => field === value?.[index]);
    return ok({
      selected: value && format !== "text" ? all.filter(isValue) : undefined,
      hasErrorColumn: format === "csv" && operand !== undefined,
      needsFullView: false,
    });
  }
  const names = fields
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) {
    return fail("UNKNOWN_FIELD", "--fields must name at least one field");
  }
  const wanted = names.filter((name) => name !== ERROR_COLUMN);
  const selected = selectColumns(all, wanted, summaryOf(desc)?.lines);
  return selected.ok
    ? ok({
        selected: selected.value,
        hasErrorColumn: wanted.length < names.length,
        needsFullView: selected.value.some(({ isOptional }) => isOptional),
      })
    : selected;
}

/** The formats of suffixes that have another name. */
const FORMATS_BY_SUFFIX: Readonly<Record<string, string>> = { txt: "text" };

/**
 * Finds the format of an image by the suffix of its file. Undefined: the flag or the default decides.
 *
 * @param output the value of `--output`
 * @param given the values of the flag for the format
 */
function formatBySuffix(
  command: ToolCommand,
  output = "",
  given: readonly string[] | undefined = undefined,
): Result<FlagValue | undefined, Failure<"USAGE">> {
  const field = imageFormatOf(command);
  const end = extname(output).slice(1).toLowerCase();
  const value = FORMATS_BY_SUFFIX[end] ?? end;
  if (field === undefined || value === "") {
    return ok(undefined);
  }
  const flag = flagName(field.name);
  if (choicesOf(field).includes(value)) {
    return given?.every((each) => each === value) === false
      ? fail("USAGE", `${flag} contradicts the suffix of --output`)
      : ok({ field, value });
  }
  const suffixes = [...choicesOf(field), ...Object.keys(FORMATS_BY_SUFFIX)].map((name) => `.${name}`);
  return given === undefined
    ? fail(
        "USAGE",
        `--output has a suffix that is not a format; allowed: ${suffixes.join(", ")}, or any with ${flag}`,
      )
    : ok(undefined);
}
