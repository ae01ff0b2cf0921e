import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { Path } from "@bufbuild/protobuf/reflect";
import type { Interceptor } from "@connectrpc/connect";
import { type FieldViolation, invalidArgument } from "../errors/errors.js";
import { abbreviate } from "../errors/http-error.js";

/** Checks messages by the rules in their proto files, as `createValidator` of `@bufbuild/protovalidate` does. */
export interface MessageValidator {
  validate(desc: DescMessage, message: Message): ValidationOutcome;
}

/** What a {@link MessageValidator} finds. `error`: a rule cannot be compiled or evaluated. */
export type ValidationOutcome =
  | { readonly kind: "valid" }
  | { readonly kind: "invalid"; readonly violations: readonly RuleViolation[] }
  | { readonly kind: "error"; readonly error: unknown };

/** A rule that a message violates. The path is empty for a rule of the message. */
export interface RuleViolation {
  readonly field: Path;
  readonly ruleId: string;
  readonly message: string;
}

/**
 * Creates an interceptor that checks all messages of requests. The first invalid one ends the call with `INVALID_ARGUMENT` and a
 * `google.rpc.BadRequest` with all violations, whose fields have the names that the client uses over REST.
 */
export function createValidationInterceptor(validator: MessageValidator): Interceptor {
  const check = (desc: DescMessage, message: Message): void => {
    const outcome = validator.validate(desc, message);
    if (outcome.kind === "error") {
      throw outcome.error;
    }
    if (outcome.kind === "invalid") {
      throw invalidArgument(outcome.violations.map(violationOf));
    }
  };
  async function* checked<T extends Message>(
    desc: DescMessage,
    messages: AsyncIterable<T>,
  ): AsyncGenerator<T> {
    for await (const message of messages) {
      check(desc, message);
      yield message;
    }
  }
  return (next) => async (request) => {
    if (request.stream) {
      return next({ ...request, message: checked(request.method.input, request.message) });
    }
    check(request.method.input, request.message);
    return next(request);
  };
}

function violationOf({ field, ruleId, message }: RuleViolation): FieldViolation {
  const reason = ruleId.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  return {
    field: pathOf(field),
    reason: (/^[A-Z]/.test(reason) ? reason : "INVALID_VALUE") as Uppercase<string>,
    description: message,
  };
}

/** The path in proto names: `books[0].title`, `labels[a]`. */
function pathOf(path: Path): string {
  return path
    .map((step) => {
      switch (step.kind) {
        case "list_sub":
          return `[${step.index}]`;
        case "map_sub":
          return `[${abbreviate(String(step.key))}]`;
        case "extension":
          return `.[${step.typeName}]`;
        default:
          return `.${step.name}`;
      }
    })
    .join("")
    .replace(/^\./, "");
}
