import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { EmailService } from "../../../gen/utilitytools/v1/email_pb.js";
import { RpcError } from "../../../src/rpc/rpc-error.js";
import { emailService } from "../../../src/tools/email/email-service.js";
import { callUnary } from "../../rpc/call.js";

const sanitize = (email: string) => callUnary(emailService(), EmailService.method.sanitizeEmail, { email });

describe("emailService", () => {
  it("implements EmailService, all of it", () => {
    const { service, methods } = emailService();
    expect(service).toBe(EmailService);
    expect(methods.map(({ method }) => method.name)).toEqual(["SanitizeEmail"]);
  });

  it("answers with the normal form", async () => {
    expect(await sanitize("J.Smith+spam@GoogleMail.com")).toMatchObject({ email: "jsmith@gmail.com" });
  });

  it.each([
    ["", "REQUIRED"],
    ["user", "AT_SIGN_MISSING"],
    ["user@[192.0.2.1]", "IP_LITERAL_NOT_ALLOWED"],
  ])("refuses %j as an invalid argument: %s", async (email, reason) => {
    const error = await sanitize(email).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({
      code: Code.InvalidArgument,
      violations: [{ field: "email", reason, description: expect.stringMatching(/./) }],
    });
  });
});
