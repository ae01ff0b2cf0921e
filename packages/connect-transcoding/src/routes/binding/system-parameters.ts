import type { DescMessage } from "@bufbuild/protobuf";
import type { FieldViolation } from "../../errors/errors.js";
import { allowedValues } from "../../errors/http-error.js";
import { InvalidFields, parseFields, type Reduce } from "../encoding/partial-response.js";
import { type Parameter, textOf } from "./request-parameters.js";

/** What the system parameters of a request ask for. */
export interface ResponseWish {
  readonly enumNumbers: boolean;
  /** Whether a stream is wanted as server-sent events. */
  readonly eventStream: boolean;
  readonly pretty: boolean;
  /** Undefined for all fields. */
  readonly reduce: Reduce | undefined;
}

/** The system parameters that are read, without the `$` that their names can have. https://cloud.google.com/apis/docs/system-parameters */
const NAMES = ["alt", "fields", "prettyPrint", ".xgafv"] as const;
type Name = (typeof NAMES)[number];

/** The values of `$alt`, the default first. */
export const ALTERNATIVES: readonly string[] = ["json", "json;enum-encoding=int", "sse"];

/** All spellings of the system parameters, by the name without `$`. Those without `$` are left to fields of the request. */
export function systemNames(isField: (name: string) => boolean): ReadonlyMap<string, Name> {
  return new Map(
    NAMES.flatMap((name): [string, Name][] => [
      [`$${name}`, name],
      ...(name === ".xgafv" || isField(name) ? [] : [[name, name] as [string, Name]]),
    ]),
  );
}

/** Reads the system parameters of a request. `output` is the message in the body of the response; undefined for other bodies. */
export function readSystemParameters(
  parameters: readonly Parameter[],
  names: ReadonlyMap<string, Name>,
  output: DescMessage | undefined,
): { readonly wish: ResponseWish | undefined; readonly violations: readonly FieldViolation[] } {
  let wish: ResponseWish | undefined;
  const violations: FieldViolation[] = [];
  const invalid = (field: string, description: string): void => {
    violations.push({ field, reason: "INVALID_VALUE", description });
  };
  for (const { name, value, source } of parameters) {
    const system = source === "text" ? names.get(name) : undefined;
    if (system === undefined) {
      continue;
    }
    const text = textOf(value) ?? "";
    wish ??= { enumNumbers: false, eventStream: false, pretty: false, reduce: undefined };
    switch (system) {
      case "alt":
        if (!ALTERNATIVES.includes(text)) {
          invalid(name, `has an unknown value${allowedValues(ALTERNATIVES)}`);
        }
        wish = { ...wish, enumNumbers: text === ALTERNATIVES[1], eventStream: text === "sse" };
        break;
      case "prettyPrint":
        if (!/^(?:true|false|0|1)$/.test(text)) {
          invalid(name, `has an unknown value${allowedValues(["true", "false"])}`);
        }
        wish = { ...wish, pretty: text === "true" || text === "1" };
        break;
      case ".xgafv":
        // The version of the error format: both have the same form here.
        if (text !== "1" && text !== "2") {
          invalid(name, `has an unknown value${allowedValues(["1", "2"])}`);
        }
        break;
      case "fields":
        if (output === undefined) {
          invalid(name, "selects no fields here: the response is no message in JSON");
          break;
        }
        try {
          wish = { ...wish, reduce: parseFields(text, output) };
        } catch (thrown) {
          if (!(thrown instanceof InvalidFields)) {
            throw thrown;
          }
          invalid(name, thrown.message);
        }
    }
  }
  return { wish, violations };
}

/** Changes the JSON text of a response. */
export type TransformJson = (json: string) => string;

/** The change that a request asks for; undefined if it stays as it is. Members of streams cannot have line breaks. */
export function transformOf({ pretty, reduce }: ResponseWish, isStream: boolean): TransformJson | undefined {
  const isPretty = pretty && !isStream;
  if (!isPretty && reduce === undefined) {
    return undefined;
  }
  return (json) =>
    JSON.stringify(
      reduce === undefined ? JSON.parse(json) : reduce(JSON.parse(json)),
      null,
      isPretty ? 2 : 0,
    );
}
