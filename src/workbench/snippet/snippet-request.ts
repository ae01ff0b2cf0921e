import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";

/** The request that a snippet sends. */
export interface SnippetRequest<Desc extends DescMessage = DescMessage> {
  readonly method: DescMethodUnary<Desc>;
  readonly message: MessageShape<Desc>;
  /** The URL of the service without a trailing slash. */
  readonly baseUrl: string;
  /** Whether the service requires an API key. Snippets never contain the key itself. */
  readonly needsKey: boolean;
}

/** The environment variable from which snippets read the API key. */
export const KEY_VARIABLE = "UTILITY_TOOLS_API_KEY";
