import { EmailService } from "../../../gen/utilitytools/v1/email_pb.js";
import { invalidArgument } from "../../rpc/rpc-error.js";
import { implement, type ServiceImplementation } from "../../rpc/service.js";
import { sanitizeEmail } from "./sanitize-email.js";

/** `EmailService` over {@link sanitizeEmail}; a text that is no address is an invalid `email`. */
export function emailService(): ServiceImplementation {
  return implement(EmailService, {
    sanitizeEmail({ email }) {
      const result = sanitizeEmail(email);
      if (!result.ok) {
        throw invalidArgument([{ field: "email", ...result.failure }]);
      }
      return { email: result.value };
    },
  });
}
