import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, fromBinary, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { http } from "connect-transcoding/gen/google/api/annotations_pb.js";
import { temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { type Api, MESSAGES } from "../gateway/programs.js";

const PACKAGE = "peers.v1";
const RULE = /^rpc (\w+) (\S+) (?:(\S*[a-z]\S*) )?([A-Z]+ .*)$/gm;
const FOLDER = temporaryFolder("peers");

/**
 * Returns the API of a table whose lines `rpc` have the rules of its methods, as in `rpc Name Request stream:Response POST /path body=field
 * response=field | GET /path`. Without a response, a method returns its request. Messages are those of `gateway/proto/peers`.
 */
export function apiOf(table: string): Api {
  const text = readFileSync(join(import.meta.dirname, `${table}.txt`), "utf8");
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(MESSAGES));
  const method = Array.from(
    text.matchAll(RULE),
    ([, name = "", input = "", output = input, bindings = ""]) => {
      const [first = {}, ...more] = bindings.split(" | ").map(httpRule);
      return {
        name,
        inputType: typeName(input),
        outputType: typeName(output),
        clientStreaming: input.startsWith("stream:"),
        serverStreaming: output.startsWith("stream:"),
        options: { "[google.api.http]": { ...first, additionalBindings: more } },
      };
    },
  );
  const service = `${table.charAt(0).toUpperCase()}${table.slice(1)}`;
  const file = {
    name: `peers/${table}.proto`,
    package: PACKAGE,
    syntax: "proto3",
    dependency: set.file.map(({ name }) => name),
    service: [{ name: service, method }],
  };
  set.file.push(fromJson(FileDescriptorProtoSchema, file, { registry: createRegistry(http) }));
  const descriptors = join(FOLDER, `${table}.binpb`);
  writeFileSync(descriptors, toBinary(FileDescriptorSetSchema, set));
  return { descriptors, services: [`${PACKAGE}.${service}`] };
}

function httpRule(text: string): JsonObject {
  const [kind = "", path = "", ...options] = text.split(" ");
  const fields = options.map((option) => option.replace(/^response=/, "responseBody=").split("="));
  const isStandard = ["GET", "PUT", "POST", "DELETE", "PATCH"].includes(kind);
  const pattern = isStandard ? { [kind.toLowerCase()]: path } : { custom: { kind, path } };
  return { ...pattern, ...Object.fromEntries(fields) };
}

function typeName(text: string): string {
  const name = text.replace("stream:", "");
  return name.includes(".") ? `.${name}` : `.${PACKAGE}.${name}`;
}
