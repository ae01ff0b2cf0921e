import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { expect, test } from "vitest";
import { requestLimit } from "../../src/rules/method-options.js";

const { sanitizeEmail, batchSanitizeEmails } = EmailService.method;

test.each([
  [65_536, sanitizeEmail, 65_536],
  [65_536, batchSanitizeEmails, 524_288],
  [1_048_576, batchSanitizeEmails, 1_048_576],
])("with %i octets as the server's limit", (serverLimit, method, limit) => {
  const limitOf = requestLimit(serverLimit);
  expect([limitOf(method), limitOf(method)]).toEqual([limit, limit]);
});
