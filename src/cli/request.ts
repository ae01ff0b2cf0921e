import type { Registry } from "@bufbuild/protobuf";
import { createMessageBinder, invalidArgument } from "connect-transcoding";
import type { MessageInit } from "connect-transcoding/codec";
import { ok, type Result } from "../result.js";
import type { ToolCommand } from "./command.js";
import type { Arguments } from "./parse-arguments.js";

/** Makes the request for an operand; undefined: for none. Throws an RpcError for text that no request can hold. */
export type BuildRequest = (operand: string | undefined) => MessageInit;

/**
 * Reads the flags of a command as fields of its request, in the way and with the words that the service has for a query.
 * The failure names each flag that is wrong.
 */
export function readRequest(
  { method, fields, operand }: ToolCommand,
  { values }: Arguments,
  registry: Registry,
): Result<BuildRequest, readonly string[]> {
  const binder = createMessageBinder(method.input, { registry, unknownParameters: "reject" });
  const flags = [...fields].flatMap(([flag, { name }]) =>
    (values.get(flag) ?? []).map((value) => ({
      name,
      value: flag.placeholder === undefined ? "true" : value,
      source: "text" as const,
    })),
  );
  const { violations } = binder.bind(flags);
  if (violations.length > 0) {
    return {
      ok: false,
      failure: violations.map(({ field, description }) => `--${field.replaceAll("_", "-")} ${description}`),
    };
  }
  return ok((text) => {
    const given =
      operand === undefined || text === undefined
        ? []
        : [{ name: operand.name, value: text, source: "text" as const }];
    const bound = binder.bind([...flags, ...given]);
    if (bound.violations.length > 0) {
      throw invalidArgument(bound.violations);
    }
    return bound.message;
  });
}
