// A protoc plugin that writes comments.json: the comments on all declarations of one package, by full name. The OpenAPI
// document needs them at run time, where protoc-gen-es only has them as code comments. The name of an enum value includes the
// name of its enum.
//
// Parameter: package=<name>, the package to read.
import { readFileSync, writeSync } from "node:fs";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import { commentsOf } from "connect-transcoding/openapi";

const request = fromBinary(CodeGeneratorRequestSchema, readFileSync(0));
const wanted = /(?:^|,)package=([^,]+)/.exec(request.parameter)?.[1];
const comments = Object.entries(commentsOf(request.protoFile.filter((file) => file.package === wanted)));
comments.sort(([a], [b]) => (a < b ? -1 : 1));
const response = create(CodeGeneratorResponseSchema, {
  supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
  file: [{ name: "comments.json", content: `${JSON.stringify(Object.fromEntries(comments), null, 2)}\n` }],
});
writeSync(1, toBinary(CodeGeneratorResponseSchema, response));
