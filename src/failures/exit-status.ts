/**
 * Exit statuses. Those from 64 on are the ones of sysexits.h.
 * https://man.freebsd.org/cgi/man.cgi?sysexits(3)
 */
export const EXIT = {
  ok: 0,
  /** At least one input is invalid or unknown, or no input finds anything. */
  invalidInput: 1,
  /** The arguments are invalid. */
  usage: 2,
  /** Data is older than `update-data --check --max-age` allows. */
  oldData: 3,
  /** The service is unreachable, or its data is unusable. */
  unavailable: 69,
  /** A bug, here or in the service. */
  software: 70,
  /** A file or a standard stream cannot be read or written. */
  io: 74,
  /** Too many requests, or a timeout: the same command may succeed later. */
  temporary: 75,
  /** The server at the URL does not support the command. */
  protocol: 76,
  /** The service requires a valid API key. */
  noPermission: 77,
  /** A setting in the environment is invalid. */
  config: 78,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each exit status, for help. */
export const EXIT_MEANINGS: readonly (readonly [status: number, meaning: string])[] = [
  [EXIT.ok, "success for all inputs"],
  [EXIT.invalidInput, "at least one input is invalid or unknown, or nothing is found"],
  [EXIT.usage, "invalid arguments"],
  [EXIT.oldData, "data is older than --max-age of update-data --check"],
  [EXIT.unavailable, "the service is unreachable, or its data is unusable"],
  [EXIT.software, "a bug"],
  [EXIT.io, "a file cannot be read or written"],
  [EXIT.temporary, "too many requests, or a timeout: retry later"],
  [EXIT.protocol, "the server at --url does not support this command"],
  [EXIT.noPermission, "the service requires a valid API key"],
  [EXIT.config, "a setting in the environment is invalid"],
  [130, "interrupted (SIGINT)"],
];
