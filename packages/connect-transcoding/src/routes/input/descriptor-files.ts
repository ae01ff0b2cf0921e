import {
  create,
  createFileRegistry,
  type DescFile,
  type FileRegistry,
  fromBinary,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_source_context,
  file_google_protobuf_type,
} from "@bufbuild/protobuf/wkt";
import { file_google_api_annotations } from "../../../gen/google/api/annotations_pb.js";
import { file_google_api_field_behavior } from "../../../gen/google/api/field_behavior_pb.js";
import { file_google_api_http } from "../../../gen/google/api/http_pb.js";
import { file_google_api_httpbody } from "../../../gen/google/api/httpbody_pb.js";
import { file_google_api_resource } from "../../../gen/google/api/resource_pb.js";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.js";
import { file_google_rpc_status } from "../../../gen/google/rpc/status_pb.js";
import { WELL_KNOWN_FILES } from "../../errors/detail-types.js";

/** The files of details of errors, which the types of a service need not import. */
export const ERROR_FILES: readonly DescFile[] = [file_google_rpc_error_details, file_google_rpc_status];

/** Common files, which some servers import and do not have. */
const KNOWN_FILES: ReadonlyMap<string, FileDescriptorProto> = new Map(
  [
    file_google_protobuf_api,
    file_google_protobuf_descriptor,
    file_google_protobuf_source_context,
    file_google_protobuf_type,
    file_google_api_annotations,
    file_google_api_field_behavior,
    file_google_api_http,
    file_google_api_httpbody,
    file_google_api_resource,
    ...WELL_KNOWN_FILES,
    ...ERROR_FILES,
  ].map(({ proto }) => [proto.name, proto]),
);

/** Reads a descriptor set. Throws an Error for other bytes. */
export function readFileSet(bytes: Uint8Array): FileDescriptorProto[] {
  const { file } = fromBinary(FileDescriptorSetSchema, bytes);
  // Other messages can look like a set.
  if (file.length === 0 || file.some(({ name }) => !name.endsWith(".proto"))) {
    throw new Error("it has no proto files");
  }
  return file.map(withJsonNames);
}

/** Reads a file. Throws an Error for other bytes. */
export function readDescriptorFile(bytes: Uint8Array): FileDescriptorProto {
  return withJsonNames(fromBinary(FileDescriptorProtoSchema, bytes));
}

/** Fills in empty JSON names in place: the reflection of grpc-js has no others. */
function withJsonNames(file: FileDescriptorProto): FileDescriptorProto {
  const visit = (message: DescriptorProto): void => {
    for (const field of message.field.filter(({ jsonName }) => jsonName === "")) {
      field.jsonName = field.name.replace(/_+([a-z])?/g, (_, letter: string = "") => letter.toUpperCase());
    }
    message.nestedType.forEach(visit);
  };
  file.messageType.forEach(visit);
  return file;
}

/**
 * Returns the set of some files and the known ones that they import: each file once, and after its imports. If several files have one
 * name, the last one applies. Imports that are missing are left out: most of them have options alone.
 *
 * @param onMissing called with the name of each import that is left out; can throw
 */
export function toFileSet(
  files: readonly FileDescriptorProto[],
  onMissing: (name: string) => void = () => {},
): FileDescriptorSet {
  const byName = new Map(files.map((file) => [file.name, file]));
  const sorted = new Map<string, FileDescriptorProto | undefined>();
  const visit = (name: string): void => {
    const file = byName.get(name) ?? KNOWN_FILES.get(name);
    if (file === undefined || sorted.has(name)) {
      return;
    }
    // Files that import each other in a cycle are invalid; they end here.
    sorted.set(name, undefined);
    file.dependency.forEach(visit);
    sorted.delete(name);
    const has = (each: string) => sorted.get(each) !== undefined;
    const missing = file.dependency.filter((each) => !has(each));
    missing.forEach(onMissing);
    sorted.set(name, missing.length === 0 ? file : withImports(file, has));
  };
  [...byName.keys()].sort().forEach(visit);
  return create(FileDescriptorSetSchema, { file: [...sorted.values()].filter((file) => file !== undefined) });
}

function withImports(file: FileDescriptorProto, has: (name: string) => boolean): FileDescriptorProto {
  const dependency = file.dependency.filter(has);
  const indexOf = (index: number) => dependency.indexOf(file.dependency[index] ?? "");
  const indices = (all: readonly number[]) => all.map(indexOf).filter((index) => index >= 0);
  return {
    ...file,
    dependency,
    publicDependency: indices(file.publicDependency),
    weakDependency: indices(file.weakDependency),
  };
}

/** The bytes of a set, to compare it with another. */
export function fileSetBytes(set: FileDescriptorSet): Uint8Array {
  return toBinary(FileDescriptorSetSchema, set);
}

/** The types of a set. Throws an Error if the files contradict each other. */
export function registryOf(set: FileDescriptorSet): FileRegistry {
  return createFileRegistry(set);
}
