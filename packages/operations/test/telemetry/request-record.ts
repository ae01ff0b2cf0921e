import type { DescMethod } from "@bufbuild/protobuf";
import type { RequestRecord } from "connect-transcoding";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";

export const METHODS: { readonly first: DescMethod; readonly second: DescMethod } = {
  first: LibraryService.method.getBook,
  second: LibraryService.method.createBook,
};

export function requestRecord(
  overrides: Partial<RequestRecord> = {},
  headers: Readonly<Record<string, string>> = {},
): RequestRecord {
  return {
    path: "/v1/books",
    clientAddress: "192.0.2.1",
    principal: undefined,
    header: (name) => headers[name],
    protocol: "rest",
    method: METHODS.first,
    code: undefined,
    httpMethod: "GET",
    status: 200,
    requestId: "request-1",
    startedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    duration: 1.5,
    ...overrides,
  };
}
