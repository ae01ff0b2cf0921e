import {
  type DescField,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  type Command,
  command as commandOption,
} from "@utility-tools/protos/utilitytools/command/v1/command_pb.js";
import { DEFAULT_REQUEST_BYTES, requestLimit } from "connect-transcoding";
import { type Comments, commentOn, enumNames, fieldDocsOf } from "connect-transcoding/openapi";
import { methodName } from "connect-transcoding/rules";
import type { Batch, ToolCommand } from "./command.js";
import { COMMON_FLAGS } from "./common-flags.js";
import type { Flag } from "./flag.js";

/**
 * Makes the commands of some services, by name in alphabetical order: one for each method that has the option
 * `utilitytools.command.v1.command`. Throws an Error that names the method for an option that contradicts its messages,
 * and for two commands of one name.
 */
export function deriveCommands(services: readonly DescService[], comments: Comments): ToolCommand[] {
  const commands = services
    .flatMap(({ methods }) => methods)
    .filter((method) => hasOption(method, commandOption))
    .map((method) => deriveCommand(method, getOption(method, commandOption), comments))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const [index, { name, method }] of commands.entries()) {
    if (commands[index + 1]?.name === name) {
      throw new Error(`${methodName(method)}: there are two commands '${name}'`);
    }
  }
  return commands;
}

function deriveCommand(method: DescMethod, option: Command, comments: Comments): ToolCommand {
  const refuse = (problem: string): never => {
    throw new Error(`${methodName(method)}: ${problem}`);
  };
  const unary = (name: string): DescMethodUnary | undefined =>
    name === ""
      ? undefined
      : (method.parent.methods.find((each): each is DescMethodUnary => isUnary(each) && each.name === name) ??
        refuse(`the command names ${name}, which is no unary method of its service`));
  const field = (fields: readonly DescField[], name: string): DescField | undefined =>
    name === ""
      ? undefined
      : (fields.find((each) => each.name === name) ?? refuse(`the command names ${name}, which is no field`));
  if (!isUnary(method)) {
    return refuse("a method that streams cannot be a command");
  }
  if (!/^[a-z][a-z-]*( [a-z][a-z-]*)*$/.test(option.name)) {
    refuse(`'${option.name}' cannot be the name of a command`);
  }
  const operand = field(method.input.fields, option.operand);
  if (operand !== undefined && operand.scalar !== ScalarType.STRING) {
    refuse("the operand of a command must be a string");
  }
  const batchMethod = unary(option.batch);
  const fields = new Map(
    method.input.fields
      .filter((each) => each !== operand)
      .map((each) => [flagOf(each, comments), each] as const),
  );
  if (batchMethod !== undefined && fields.size > 0) {
    refuse("a batch has no place for the other fields of the request");
  }
  const common = new Set<string>(Object.values(COMMON_FLAGS).map(({ name }) => name));
  for (const { name } of fields.keys()) {
    if (common.has(name)) {
      refuse(`${name} is a flag of every command`);
    }
  }
  return {
    name: option.name,
    method,
    operand,
    batch: batchMethod && (batchOf(batchMethod) ?? refuse(`${batchMethod.name} has not the form of a batch`)),
    withoutOperand: unary(option.withoutOperand),
    qrCode: field([...method.output.fields, ...method.input.fields], option.qrCode),
    period: field(method.output.fields, option.period),
    needsService: option.needsService,
    fields,
  };
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

/** What the error of an item has, as `utilitytools.v1.ItemError` does. */
const ERROR_FIELDS = ["code", "reason", "message", "metadata"] as const;

/**
 * Reads a batch by its form: the request is one list of strings, the answer one list of messages that have an `answer` or
 * an `error`.
 */
function batchOf(method: DescMethodUnary): Batch | undefined {
  const [items, ...others] = method.input.fields;
  const [results] = method.output.fields;
  if (
    items?.fieldKind !== "list" ||
    items.scalar !== ScalarType.STRING ||
    others.length > 0 ||
    results?.fieldKind !== "list" ||
    results.message === undefined
  ) {
    return undefined;
  }
  const result = results.message;
  const answer = result.fields.find(({ name }) => name === "answer");
  const error = result.fields.find(({ name }) => name === "error");
  const { maxItems } = fieldDocsOf(items);
  const isError = ERROR_FIELDS.every((name) => error?.message?.fields.some((field) => field.name === name));
  return answer === undefined || error === undefined || !isError || maxItems === 0
    ? undefined
    : {
        method,
        items,
        maxItems,
        maxBytes: requestLimit(DEFAULT_REQUEST_BYTES)(method),
        results,
        result,
        answer,
        error,
      };
}

/** The flag of a field: `--digits` for `digits`, `--country-code` for `country_code`. */
function flagOf(field: DescField, comments: Comments): Flag {
  const isSwitch = field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL;
  const { allowedValues } = fieldDocsOf(field);
  const names = field.enum === undefined ? [] : [...enumNames(field.enum, "request").keys()];
  const choices = names.length > 0 ? names : allowedValues;
  return {
    name: `--${field.name.replaceAll("_", "-")}`,
    placeholder: isSwitch ? undefined : placeholderOf(field),
    meaning: commentOn(field, comments),
    ...(choices.length > 0 ? { choices } : {}),
    isRepeated: field.fieldKind === "list",
  };
}

/** The word that stands for a field's value: `IP_ADDRESS`. */
export function placeholderOf({ name }: DescField): string {
  return name.toUpperCase();
}
