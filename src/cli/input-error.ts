/** Standard input cannot be read. */
export class InputError extends Error {
  constructor(cause: unknown) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    super(`standard input cannot be read (${code})`, { cause });
    this.name = "InputError";
  }
}

/** The pieces of a stream, whose failure becomes an {@link InputError}. */
export async function* readPieces(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (thrown) {
    throw new InputError(thrown);
  }
}
