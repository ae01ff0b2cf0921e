import { Code } from "@connectrpc/connect";

/**
 * What the program ends with. From 64 on they are those of sysexits.h, which mail and other programs have used since BSD 4.3.
 * https://man.freebsd.org/cgi/man.cgi?sysexits(3)
 */
export const EXIT = {
  ok: 0,
  /** An input, or more than one, is answered with an error. */
  answeredWithError: 1,
  /** The arguments are wrong. */
  usage: 2,
  /** There is no answer, from a service that cannot be reached or without usable data. */
  unavailable: 69,
  /** A bug, here or in the service. */
  software: 70,
  /** A file or standard output cannot be read or written. */
  io: 74,
  /** The same may work later: too many requests, or too little time. */
  temporary: 75,
  /** What answers is no service that knows the command. */
  protocol: 76,
  /** The service wants an API key, or another. */
  noPermission: 77,
  /** A setting in the environment is wrong. */
  config: 78,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** What is said of each in help. */
export const EXIT_MEANINGS: readonly (readonly [status: number, meaning: string])[] = [
  [EXIT.ok, "all inputs have their answer"],
  [EXIT.answeredWithError, "an input, or more than one, is not valid or not known"],
  [EXIT.usage, "the arguments are wrong"],
  [EXIT.unavailable, "the service cannot be reached, or its data cannot be used"],
  [EXIT.software, "a bug"],
  [EXIT.io, "a file cannot be read or written"],
  [EXIT.temporary, "too many requests, or out of time: the same may work later"],
  [EXIT.protocol, "what answers at the URL is no service that knows the command"],
  [EXIT.noPermission, "the service wants an API key, or another one"],
  [EXIT.config, "a setting in the environment is wrong"],
  [130, "interrupted (SIGINT)"],
];

/** What a call that fails ends the program with. */
export function exitStatusOf(code: Code): ExitStatus {
  switch (code) {
    case Code.Unavailable:
      return EXIT.unavailable;
    case Code.Internal:
    case Code.Unknown:
    case Code.DataLoss:
      return EXIT.software;
    case Code.ResourceExhausted:
    case Code.DeadlineExceeded:
    case Code.Aborted:
    case Code.Canceled:
      return EXIT.temporary;
    case Code.Unimplemented:
      return EXIT.protocol;
    case Code.Unauthenticated:
    case Code.PermissionDenied:
      return EXIT.noPermission;
    default:
      return EXIT.answeredWithError;
  }
}
