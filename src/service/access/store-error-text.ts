import { ErrorReply } from "@redis/client";

/**
 * What went wrong with a store, for logs: the code of a system error, the code of an error that Redis answered, what took
 * too long, or else the kind of error. Nothing else of its text, for servers and libraries quote what they were sent, and
 * that may be a password.
 */
export function storeErrorText(error: unknown): string {
  if (!(error instanceof Error)) {
    return "an unknown error";
  }
  if (error.name === "TimeoutError") {
    return error.message;
  }
  if ("code" in error && typeof error.code === "string" && CODE.test(error.code)) {
    return error.code;
  }
  const [reply = ""] = error.message.split(" ", 1);
  return error instanceof ErrorReply && CODE.test(reply) ? `it answers ${reply}` : error.constructor.name;
}

const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;
