// A protoc plugin that writes comments.json: the leading comments of all declarations of one package, by full name. The
// OpenAPI document needs them at run time, where protoc-gen-es only has them as code comments. The name of an enum value
// includes the name of its enum.
//
// Parameter: package=<name>, the package to read.
import { readFileSync, writeSync } from "node:fs";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";

// Field numbers of declarations; paths in the source information consist of them:
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

/** Yields all nested declarations: the full name, and the path in the source information. */
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
