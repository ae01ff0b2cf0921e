import type { DescMessage } from "@bufbuild/protobuf";
import { bufCurlSnippet } from "./buf-curl.js";
import { curlSnippet } from "./curl.js";
import type { SnippetRequest } from "./snippet-request.js";
import { typeScriptSnippet } from "./typescript.js";

/** A way to make a call from elsewhere. */
export interface SnippetKind {
  readonly id: string;
  readonly title: string;
  readonly write: <Desc extends DescMessage>(request: SnippetRequest<Desc>) => string;
}

/** The ways that the workbench shows, in its order. */
export const SNIPPETS: readonly SnippetKind[] = [
  { id: "curl", title: "curl", write: curlSnippet },
  { id: "grpc", title: "gRPC", write: bufCurlSnippet },
  { id: "typescript", title: "TypeScript", write: typeScriptSnippet },
];
