import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";

/** A call of which snippets are made. */
export interface SnippetRequest<Desc extends DescMessage = DescMessage> {
  readonly method: DescMethodUnary<Desc>;
  readonly message: MessageShape<Desc>;
  /** Where the service is: scheme, host and perhaps a path, no final slash. */
  readonly baseUrl: string;
  /** Whether the service asks for an API key. The key itself is no part of any snippet. */
  readonly needsKey: boolean;
}

/** The environment variable that snippets take the API key from. */
export const KEY_VARIABLE = "UTILITY_TOOLS_API_KEY";

/** The argument that shows the key, for curl and `buf curl` alike: a shell puts the variable's value into double quotes. */
export const KEY_HEADER = `-H "Authorization: Bearer $${KEY_VARIABLE}"`;

/** A command with its arguments, on one line where it is short, else with one argument a line. */
export function commandLines(command: string, args: readonly string[]): string {
  const line = [command, ...args].join(" ");
  return line.length <= 72 && !line.includes("\n") ? line : [command, ...args].join(" \\\n  ");
}
