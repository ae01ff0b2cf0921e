/** A failure that the user can correct, with its exit status as in sysexits.h: 64 for invalid arguments, 65 for an invalid file. */
export class CommandFailure extends Error {
  constructor(
    readonly status: 64 | 65,
    message: string,
  ) {
    super(message);
  }
}
