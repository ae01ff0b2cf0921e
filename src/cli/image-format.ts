import { extname } from "node:path";
import type { DescField } from "@bufbuild/protobuf";
import { enumNames } from "connect-transcoding/openapi";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { flagName, type ToolCommand } from "./commands.js";

/** The format of an image as the value of a flag. */
export interface ImageFormat {
  readonly field: DescField;
  readonly text: string;
}

/** The formats of suffixes that have another name. */
const FORMATS_BY_SUFFIX: Readonly<Record<string, string>> = { txt: "text" };

/** The field of a command that selects the format of an image, with its values. */
export function imageFormats(command: ToolCommand): { field: DescField; names: string[] } | undefined {
  const field = command.fields.find(({ name }) => name === "format");
  return field?.enum === undefined || !command.returnsBytes
    ? undefined
    : { field, names: [...enumNames(field.enum, "request").keys()] };
}

/**
 * Finds the format of an image by the suffix of its file. Undefined: the flag or the default decides.
 *
 * @param output the value of `--output`
 * @param given the values of the flag for the format
 */
export function formatBySuffix(
  command: ToolCommand,
  output: string | undefined,
  given: readonly string[] | undefined,
): Result<ImageFormat | undefined, Failure<"USAGE">> {
  const formats = imageFormats(command);
  const end = extname(output ?? "")
    .slice(1)
    .toLowerCase();
  const suffix = FORMATS_BY_SUFFIX[end] ?? end;
  if (formats === undefined || suffix === "") {
    return ok(undefined);
  }
  const { field, names } = formats;
  const flag = flagName(field.name);
  if (!names.includes(suffix)) {
    const suffixes = names.map((name) => `.${name}`).join(", ");
    return given === undefined
      ? fail("USAGE", `--output has a suffix that is not a format; allowed: ${suffixes}, or any with ${flag}`)
      : ok(undefined);
  }
  return given?.every((each) => each === suffix) === false
    ? fail("USAGE", `${flag} contradicts the suffix of --output`)
    : ok({ field, text: suffix });
}
