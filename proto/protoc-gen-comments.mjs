// A protoc plugin: writes comments.json, the leading comments of all that a package declares, by full name. The
// code that protoc-gen-es writes has them for readers alone, and the document of the API needs them when it runs.
// An enum value has its enum's name before its own.
//
// Parameter: package=<name>, the package whose comments are wanted.
import { readFileSync, writeSync } from "node:fs";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";

// The numbers of the fields that hold declarations, which is what paths in source information are made of:
// https://github.com/protocolbuffers/protobuf/blob/v31.0/src/google/protobuf/descriptor.proto
const FILE = { messageType: 4, enumType: 5, service: 6 };
const MESSAGE = { field: 2, nestedType: 3, enumType: 4 };
const ENUM = { value: 2 };
const SERVICE = { method: 2 };
const CHILDREN = new Map([
  ["messageType", MESSAGE],
  ["nestedType", MESSAGE],
  ["enumType", ENUM],
  ["service", SERVICE],
]);

/** All declarations in one, each with its full name and its path in the source information. */
function* declarations(parent, numbers, name, path) {
  for (const [member, number] of Object.entries(numbers)) {
    for (const [index, child] of parent[member].entries()) {
      const childName = `${name}.${child.name}`;
      const childPath = [...path, number, index];
      yield [childName, childPath.join()];
      yield* declarations(child, CHILDREN.get(member) ?? {}, childName, childPath);
    }
  }
}

function commentsOf(file) {
  const comments = new Map(
    (file.sourceCodeInfo?.location ?? []).map(({ path, leadingComments }) => [path.join(), leadingComments]),
  );
  return [...declarations(file, FILE, file.package, [])].flatMap(([name, path]) => {
    const lines = (comments.get(path) ?? "").split("\n").map((line) => line.replace(/^ /, "").trimEnd());
    const comment = lines.join("\n").trim();
    return comment === "" ? [] : [[name, comment]];
  });
}

const request = fromBinary(CodeGeneratorRequestSchema, readFileSync(0));
const wanted = /(?:^|,)package=([^,]+)/.exec(request.parameter)?.[1];
const comments = request.protoFile.filter((file) => file.package === wanted).flatMap(commentsOf);
comments.sort(([a], [b]) => (a < b ? -1 : 1));
const response = create(CodeGeneratorResponseSchema, {
  supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
  file: [{ name: "comments.json", content: `${JSON.stringify(Object.fromEntries(comments), null, 2)}\n` }],
});
writeSync(1, toBinary(CodeGeneratorResponseSchema, response));
