import type { DescMethod } from "@bufbuild/protobuf";

/** Prints an exception and its causes with their stacks, after a line with the method. A method itself would be printed with all its descriptors. */
export function printException(thrown: unknown, method?: DescMethod): void {
  const place = method === undefined ? "" : ` in ${method.parent.typeName}/${method.name}`;
  console.error(`unexpected exception${place}: ${textOf(thrown, MAX_CAUSES)}`);
}

/** Causes can be a cycle. */
const MAX_CAUSES = 5;

function textOf(thrown: unknown, left: number): string {
  if (!(thrown instanceof Error)) {
    return typeof thrown === "object" ? Object.prototype.toString.call(thrown) : String(thrown);
  }
  const { stack, message, cause } = thrown;
  return `${stack ?? message}${cause === undefined || left === 0 ? "" : `\ncaused by ${textOf(cause, left - 1)}`}`;
}
