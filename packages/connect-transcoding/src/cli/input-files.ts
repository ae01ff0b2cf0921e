import type { FileRegistry } from "@bufbuild/protobuf";
import { readFileSet, registryOf, toFileSet } from "../routes/input/descriptor-files.js";
import { readRules } from "../routes/input/rules-document.js";
import type { HttpRules } from "../routes/rules/http-rules.js";
import { CommandFailure } from "./command-failure.js";

/** Reads a file. Throws an Error for one that cannot be read. */
export type ReadFile = (path: string) => Uint8Array;

/** Reads descriptor sets, and joins them. Of files with the same name, the last counts. Throws a CommandFailure. */
export function readDescriptors(paths: readonly string[], readFile: ReadFile): FileRegistry {
  const files = paths.flatMap((path) => {
    const bytes = read(path, readFile);
    return convert(path, "is not a descriptor set", () => readFileSet(bytes));
  });
  const problem = "cannot be resolved; descriptor sets need all imports";
  return convert(paths.join("', '"), problem, () =>
    registryOf(
      toFileSet(files, (name) => {
        throw new Error(`there is no ${name}`);
      }),
    ),
  );
}

/** Reads the rules in a file of JSON; see {@link readRules}. Throws a CommandFailure. */
export function readRulesFile(path: string, readFile: ReadFile): HttpRules {
  const text = new TextDecoder().decode(read(path, readFile));
  return convert(path, "is not a google.api.Http in JSON", () => readRules(JSON.parse(text)));
}

function read(path: string, readFile: ReadFile): Uint8Array {
  try {
    return readFile(path);
  } catch (thrown) {
    throw new CommandFailure(65, `'${path}' cannot be read: ${messageOf(thrown)}`);
  }
}

function convert<T>(path: string, problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof CommandFailure) {
      throw thrown;
    }
    throw new CommandFailure(65, `'${path}' ${problem}: ${messageOf(thrown)}`);
  }
}

/** The message of an Error, or the text of another value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
