import {
  create,
  createFileRegistry,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
} from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { HttpSchema } from "../../gen/google/api/http_pb.js";
import type { HttpRules } from "../routes/rules/http-rules.js";
import { CommandFailure } from "./command-failure.js";

/** Reads a file. Throws an Error for one that cannot be read. */
export type ReadFile = (path: string) => Uint8Array;

/** Reads descriptor sets, and joins them. Of files with the same name, the first counts. Throws a CommandFailure. */
export function readDescriptors(paths: readonly string[], readFile: ReadFile): FileRegistry {
  const files = new Map<string, FileDescriptorProto>();
  for (const path of paths) {
    const { file } = convert(path, "is not a descriptor set", () =>
      fromBinary(FileDescriptorSetSchema, read(path, readFile)),
    );
    if (file.length === 0 || file.some(({ name }) => !name.endsWith(".proto"))) {
      throw new CommandFailure(65, `'${path}' is not a descriptor set`);
    }
    for (const each of file) {
      files.set(each.name, files.get(each.name) ?? each);
    }
  }
  const problem = "cannot be resolved; descriptor sets need all imports";
  return convert(paths.join("', '"), problem, () =>
    createFileRegistry(create(FileDescriptorSetSchema, { file: [...files.values()] })),
  );
}

/** Reads the rules in a `google.api.Http` message, or in the `http` of a service configuration. Throws a CommandFailure. */
export function readRules(path: string, readFile: ReadFile): HttpRules {
  const text = new TextDecoder().decode(read(path, readFile));
  return convert(path, "is not a google.api.Http in JSON", () => {
    const json: JsonValue = JSON.parse(text);
    const isConfiguration = typeof json === "object" && json !== null && "http" in json;
    return fromJson(HttpSchema, isConfiguration ? (json.http ?? {}) : json).rules;
  });
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
