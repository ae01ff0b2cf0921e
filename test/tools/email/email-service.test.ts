import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { EmailService, SanitizeEmailRequestSchema } from "../../../gen/utilitytools/v1/email_pb.js";
import type { Call } from "../../../src/rpc/call.js";
import { RpcError } from "../../../src/rpc/rpc-error.js";
import { emailService } from "../../../src/tools/email/email-service.js";

const CALL: Call = {
  method: EmailService.method.sanitizeEmail,
  baseUrl: "http://127.0.0.1:8080",
  signal: new AbortController().signal,
  header: () => undefined,
};

async function sanitize(email: string) {
  const [method] = emailService().methods;
  if (method?.kind !== "unary") {
    throw new Error("SanitizeEmail is unary");
  }
  return await method.handler(create(SanitizeEmailRequestSchema, { email }), CALL);
}

describe("emailService", () => {
  it("implements EmailService, all of it", () => {
    const { service, methods } = emailService();
    expect(service).toBe(EmailService);
    expect(methods.map(({ method }) => method.name)).toEqual(["SanitizeEmail"]);
  });

  it("answers with the normal form", async () => {
    expect(await sanitize("J.Smith+spam@GoogleMail.com")).toEqual({ email: "jsmith@gmail.com" });
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
