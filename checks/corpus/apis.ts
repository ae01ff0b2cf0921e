import { readFileSync } from "node:fs";
import {
  createFileRegistry,
  createRegistry,
  type DescMethod,
  fromBinary,
  getOption,
  hasOption,
  type Registry,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { http } from "connect-transcoding/gen/google/api/annotations_pb.js";
import { file_library_v1_library } from "../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";

/** The methods with an HTTP rule of one proto package, which one server could offer. */
export interface Api {
  readonly name: string;
  readonly methods: readonly DescMethod[];
}

/** Reads APIs from a `google.protobuf.FileDescriptorSet`. `registry` has their types, and those of the test messages. */
export function loadApis(path: string): { readonly registry: Registry; readonly apis: readonly Api[] } {
  const files = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(path)));
  const byPackage = new Map<string, DescMethod[]>();
  for (const desc of files) {
    const methods = desc.kind === "service" ? desc.methods.filter((each) => hasOption(each, http)) : [];
    if (methods.length > 0) {
      const name = desc.file.proto.package;
      byPackage.set(name, [...(byPackage.get(name) ?? []), ...methods]);
    }
  }
  const apis = [...byPackage].map(([name, methods]) => ({ name, methods }));
  return { registry: createRegistry(files, file_library_v1_library), apis };
}

/** The number of HTTP rules of a method. */
export function countRules(method: DescMethod): number {
  return 1 + getOption(method, http).additionalBindings.length;
}
