import { ErrorReply } from "@redis/client";
import { expect, test } from "vitest";
import { storeErrorText } from "../../../src/service/access/store-error-text.js";

const systemError = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1 hunter2"), {
  code: "ECONNREFUSED",
});

test.each([
  [systemError, "ECONNREFUSED"],
  [new DOMException("no answer within 200 ms", "TimeoutError"), "no answer within 200 ms"],
  [new ErrorReply("WRONGPASS invalid username-password pair"), "it answers WRONGPASS"],
  // What servers before version 6 answer to the greeting of RESP 3.
  [
    new ErrorReply("ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `hunter2`"),
    "it answers ERR",
  ],
  [new ErrorReply("hunter2"), "ErrorReply"],
  [new TypeError("hunter2"), "TypeError"],
  [Object.assign(new Error("hunter2"), { code: "hunter2" }), "Error"],
  ["hunter2", "an unknown error"],
  [undefined, "an unknown error"],
])("%s", (error, text) => {
  expect(storeErrorText(error)).toBe(text);
});
