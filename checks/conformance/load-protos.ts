import { readFile } from "node:fs/promises";
import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type {
  ConformanceService,
  RequestInfo,
  ServerCompatRequest,
  ServerCompatResponse,
} from "./messages.js";

/** The suite's protos: typed descriptors that the server needs, and a registry of all. */
export interface Protos {
  readonly service: ConformanceService;
  readonly requestInfo: GenMessage<RequestInfo>;
  readonly serverRequest: ServerCompatRequest;
  readonly serverResponse: ServerCompatResponse;
  readonly registry: FileRegistry;
}

const PACKAGE = "connectrpc.conformance.v1";

/** Reads the suite's protos from a `google.protobuf.FileDescriptorSet`. Throws an Error if a declaration is missing. */
export async function loadProtos(path: string): Promise<Protos> {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, await readFile(path)));
  const find = (name: string): unknown => {
    const desc = registry.get(`${PACKAGE}.${name}`);
    if (desc === undefined) {
      throw new Error(`${path} lacks ${PACKAGE}.${name}`);
    }
    return desc;
  };
  return {
    // Descriptors that are loaded at run time have no types; messages.ts declares them.
    service: find("ConformanceService") as ConformanceService,
    requestInfo: find("ConformancePayload.RequestInfo") as GenMessage<RequestInfo>,
    serverRequest: find("ServerCompatRequest") as ServerCompatRequest,
    serverResponse: find("ServerCompatResponse") as ServerCompatResponse,
    registry,
  };
}
