import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
  hasOption,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  type Command as CommandOption,
  command as commandOption,
} from "@utility-tools/protos/utilitytools/command/v1/command_pb.js";
import { Option, type OptionValues } from "commander";
import { createMessageBinder, invalidArgument, requestLimit } from "connect-transcoding";
import { type FieldPath, jsonPath, type MessageInit, resolveFieldPath } from "connect-transcoding/codec";
import { type Comments, commentOn, enumNames, fieldDocsOf, firstSentence } from "connect-transcoding/openapi";
import { methodName, readHttpBindings, responseBodyOf } from "connect-transcoding/rules";
import { collectValues } from "../config/serve-command.js";
import { defaultOf, SETTINGS } from "../config/settings.js";
import { ok, type Result } from "../failures/result.js";

/** A command that calls a method of a service. */
export interface ToolCommand {
  /** The words of the command, separated by one space: `otp generate`. */
  readonly name: string;
  readonly method: DescMethodUnary;
  /** The field that positional arguments fill; undefined: the command takes none. */
  readonly operand: DescField | undefined;
  /** The field that a positional argument fills if it is a URI; undefined: the operand takes URIs as well. */
  readonly uriOperand: DescField | undefined;
  /** The method that takes many operands at once; undefined: each operand is a separate call. */
  readonly batch: Batch | undefined;
  /**
   * The string field that is shown as a QR code on a terminal: one of the response, or one of the request if the response
   * is an image.
   */
  readonly qrCode: DescField | undefined;
  /** The field of the response with the seconds after which it changes; undefined: it does not change. */
  readonly period: DescField | undefined;
  /** The paths of response fields that repeat the operand, in JSON names. */
  readonly repeated: readonly string[];
  /** Whether the response is an image or other bytes. */
  readonly returnsBytes: boolean;
  /** Whether the command makes no sense without a running service. */
  readonly needsService: boolean;
  /** The field that is the whole output, unless another format is selected: the fields from the response down to it. */
  readonly value?: FieldPath;
  /** The other fields of the request. Each is a flag. */
  readonly fields: readonly DescField[];
}

/** A method that takes many operands, and the fields of its messages. */
export interface Batch {
  readonly method: DescMethodUnary;
  /** The field of the request with the operands. */
  readonly items: DescField;
  /** The maximum number of operands. */
  readonly maxItems: number;
  /** The maximum length of a request in bytes, with the default settings of a service. */
  readonly maxBytes: number;
  /** The field of the response with one result per operand. */
  readonly results: DescField;
  /** The fields of a result: the response to its operand, or the error. */
  readonly answer: DescField;
  readonly error: DescField;
}

/**
 * Derives the commands of services: one for each method with the option `utilitytools.command.v1.command`, sorted by name.
 * Throws an Error that names the method if an option contradicts the messages, or if two commands have one name.
 */
export function deriveCommands(services: readonly DescService[]): ToolCommand[] {
  const commands = services
    .flatMap(({ methods }) => methods)
    .filter((method) => hasOption(method, commandOption))
    .map((method) => deriveCommand(method, getOption(method, commandOption)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const [index, { name, method }] of commands.entries()) {
    if (commands[index + 1]?.name === name) {
      throw new Error(`${methodName(method)}: there are two commands '${name}'`);
    }
  }
  return commands;
}

function deriveCommand(method: DescMethod, option: CommandOption): ToolCommand {
  const reject = (problem: string): never => {
    throw new Error(`${methodName(method)}: ${problem}`);
  };
  const unary = (name: string): DescMethodUnary | undefined =>
    name === ""
      ? undefined
      : (method.parent.methods.find((each): each is DescMethodUnary => isUnary(each) && each.name === name) ??
        reject(`the command names ${name}, which is not a unary method of its service`));
  const field = (fields: readonly DescField[], name: string): DescField | undefined =>
    name === ""
      ? undefined
      : (fields.find((each) => each.name === name) ??
        reject(`the command names ${name}, which is not a field`));
  if (!isUnary(method)) {
    return reject("a method that streams cannot be a command");
  }
  if (!/^[a-z][a-z-]*( [a-z][a-z-]*)*$/.test(option.name)) {
    reject(`'${option.name}' cannot be the name of a command`);
  }
  const operand = field(method.input.fields, option.operand);
  const uriOperand = field(method.input.fields, option.uriOperand);
  if ([operand, uriOperand].some((each) => each !== undefined && each.scalar !== ScalarType.STRING)) {
    reject("the operand of a command must be a string");
  }
  const batchMethod = unary(option.batch);
  const fields = method.input.fields.filter((each) => each !== operand && each !== uriOperand);
  const [binding = { method, responseBody: undefined }] = readHttpBindings(method);
  return {
    name: option.name,
    method,
    operand,
    uriOperand,
    batch:
      batchMethod &&
      (batchOf(batchMethod, fields) ?? reject(`${batchMethod.name} has not the form of a batch`)),
    qrCode: field([...method.output.fields, ...method.input.fields], option.qrCode),
    period: field(method.output.fields, option.period),
    repeated: option.repeats.map((path) =>
      jsonPath(
        resolveFieldPath(method.output, path) ?? reject(`the command names ${path}, which is not a field`),
      ),
    ),
    returnsBytes: responseBodyOf(binding).kind === "bytes",
    needsService: option.needsService,
    fields,
  };
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

/** The fields of an item's error, as in `utilitytools.v1.ItemError`. */
const ERROR_FIELDS = ["code", "reason", "message", "metadata"] as const;

/**
 * Recognizes a batch by its form: the request is a list of strings and the other fields of a single request, which apply to
 * every item; the response is one list of messages with an `answer` or an `error`.
 */
function batchOf(method: DescMethodUnary, fields: readonly DescField[]): Batch | undefined {
  const [items, ...others] = method.input.fields;
  const [results] = method.output.fields;
  const named = (desc: DescMessage | undefined, name: string) =>
    desc?.fields.find((each) => each.name === name);
  const answer = named(results?.message, "answer");
  const error = named(results?.message, "error");
  const hasForm =
    items?.fieldKind === "list" &&
    items.scalar === ScalarType.STRING &&
    others.length === fields.length &&
    others.every((other) => fields.some((field) => isSameField(field, other))) &&
    results?.fieldKind === "list" &&
    ERROR_FIELDS.every((name) => named(error?.message, name) !== undefined);
  if (!hasForm || answer === undefined || error === undefined || fieldDocsOf(items).maxItems === 0) {
    return undefined;
  }
  const { maxItems } = fieldDocsOf(items);
  const maxBytes = requestLimit(defaultOf(SETTINGS.maxRequestBytes))(method);
  return { method, items, maxItems, maxBytes, results, answer, error };
}

function isSameField(one: DescField, other: DescField): boolean {
  return (["name", "fieldKind", "scalar", "enum", "message"] as const).every(
    (key) => one[key] === other[key],
  );
}

/** The placeholder of a field's value: `IP_ADDRESS`. */
export function placeholderOf({ name }: DescField): string {
  return name.toUpperCase();
}

/** Whether a field is secret and must not be repeated: it has the option `debug_redact`. */
export function isSecret(field: DescField | undefined): boolean {
  return field?.proto.options?.debugRedact === true;
}

/** Whether the operand is a secret that a program should not get as an argument. The text of an image may be one. */
export function takesSecret(command: ToolCommand): boolean {
  return isSecret(command.operand) && !command.returnsBytes;
}

/** Removes the code spans of CommonMark. */
export function plainText(text: string): string {
  return text.replaceAll("`", "");
}

/** A sentence as the beginning of a description in help. */
export function lowerCased(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** A flag of a command with a value. */
export interface FlagValue {
  readonly field: DescField;
  readonly value: string;
}

/** Finds the full view of a response: a value `FULL` of the field `view` (https://google.aip.dev/157). */
export function fullViewOf({ fields }: ToolCommand): FlagValue | undefined {
  const field = fields.find(({ name }) => name === "view");
  const value = field && choicesOf(field).find((name) => /(?:^|_)full$/i.test(name));
  return field && value ? { field, value } : undefined;
}

/** The field of a command that selects the format of an image; undefined if the response has no image. */
export function imageFormatOf({ fields, returnsBytes }: ToolCommand): DescField | undefined {
  return fields.find((field) => returnsBytes && field.name === "format" && field.enum !== undefined);
}

/** The flag of a field: `--country-code <COUNTRY_CODE>` for `country_code`. A boolean field takes no value. */
export function fieldOption(field: DescField, comments: Comments): Option {
  const takesNoValue = field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL;
  const option = new Option(
    takesNoValue ? flagName(field.name) : `${flagName(field.name)} <${placeholderOf(field)}>`,
    [lowerCased(firstSentence(plainText(commentOn(field, comments)))), schemaNotes(field)]
      .filter(Boolean)
      .join(" "),
  );
  if (!takesNoValue) {
    // The binder rejects several values of a field that is not a list.
    option.argParser(collectValues);
  }
  const choices = choicesOf(field);
  if (choices.length > 0) {
    // For completion. Option.choices() would validate the value as well.
    option.argChoices = [...choices];
  }
  return option;
}

/**
 * Whether a field is required, its choices and its default, for help. They are not set on the option: the binder validates a
 * flag with the service's message, and the method applies the default.
 */
function schemaNotes(field: DescField): string {
  const { defaultValue, required } = fieldDocsOf(field);
  const choices = choicesOf(field);
  const notes = [
    ...(required ? ["required"] : []),
    ...(choices.length > 0 ? [`choices: ${choices.join(", ")}`] : []),
    ...(defaultValue === "" ? [] : [`default: ${defaultValue}`]),
  ];
  return notes.length === 0 ? "" : `(${notes.join("; ")})`;
}

/** The allowed values of a field; empty if there is no list of them. */
export function choicesOf(field: DescField): readonly string[] {
  return field.enum === undefined
    ? fieldDocsOf(field).allowedValues
    : [...enumNames(field.enum, "request").keys()];
}

/** Creates the request for an operand, if there is one. Throws a ConnectError if the text is not valid. */
export type BuildRequest = (operand: string | undefined) => MessageInit;

/**
 * Reads the flags of a command as fields of its request, in the notation and with the messages of query parameters. The
 * failure has one message per invalid flag.
 */
export function readRequest(
  { method, fields, operand, uriOperand }: ToolCommand,
  values: OptionValues,
  registry: Registry,
): Result<BuildRequest, readonly string[]> {
  const binder = createMessageBinder(method.input, { registry, unknownParameters: "reject" });
  const textOf = (name: string, value: unknown) => ({ name, value: String(value), source: "text" as const });
  const flags = fields.flatMap(({ name, localName }) =>
    [values[localName] ?? []].flat().map((value) => textOf(name, value)),
  );
  const { violations } = binder.bind(flags);
  if (violations.length > 0) {
    const failure = violations.map(({ field, description }) => `${flagName(field)} ${description}`);
    return { ok: false, failure };
  }
  return ok((text) => {
    const field = text === undefined ? undefined : operandOf({ operand, uriOperand }, text);
    const bound = binder.bind(field === undefined ? flags : [...flags, textOf(field.name, text)]);
    if (bound.violations.length > 0) {
      throw invalidArgument(bound.violations);
    }
    return bound.message;
  });
}

/** Returns the field that an input fills: another one for a URI with an authority, such as `otpauth://totp/…`. */
export function operandOf(
  { operand, uriOperand }: Pick<ToolCommand, "operand" | "uriOperand">,
  text: string,
): DescField | undefined {
  return uriOperand !== undefined && /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text) ? uriOperand : operand;
}

/** The flag of a field by its proto name. */
export function flagName(field: string): string {
  return `--${field.replaceAll("_", "-")}`;
}
