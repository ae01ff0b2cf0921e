/** A JSON-RPC message that is not valid, with its code. */
export class InvalidMessage {
  readonly code: number;
  readonly message: string;
  readonly id: string | number | null;

  constructor(code: number, message: string, id: string | number | null = null) {
    this.code = code;
    this.message = message;
    this.id = id;
  }
}

/** How deep objects and arrays of a message can be nested. */
const MAX_DEPTH = 64;

/**
 * Reads a JSON-RPC message: one object without deep nesting, on which the recursion of readers would fail, and without a member `__proto__`,
 * which they ignore.
 */
export function readMessage(body: Uint8Array): object | InvalidMessage {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return new InvalidMessage(-32_700, "the body is not JSON in UTF-8");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return new InvalidMessage(-32_600, "the body must be one JSON-RPC message; batches are not supported");
  }
  const problem = problemIn(value, MAX_DEPTH);
  return problem === undefined ? value : new InvalidMessage(-32_602, problem, idOf(value));
}

function problemIn(value: object, depth: number): string | undefined {
  if (depth === 0) {
    return `the message has more than ${MAX_DEPTH} levels`;
  }
  for (const [name, member] of Object.entries(value)) {
    const problem =
      name === "__proto__"
        ? "a member cannot have the name __proto__"
        : typeof member === "object" && member !== null
          ? problemIn(member, depth - 1)
          : undefined;
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

/** The ID of a message; null if it has none. */
function idOf(message: object): string | number | null {
  const id: unknown = "id" in message ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
