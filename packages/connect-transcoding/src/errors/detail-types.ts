import { createRegistry, type DescFile, type Registry } from "@bufbuild/protobuf";
import {
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";

/** The files of the well-known types. */
export const WELL_KNOWN_FILES: readonly DescFile[] = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
];

/** The types of details of errors that every server and client knows: those of `google.rpc`, and the well-known ones. */
export const DETAIL_TYPES: Registry = createRegistry(file_google_rpc_error_details, ...WELL_KNOWN_FILES);
