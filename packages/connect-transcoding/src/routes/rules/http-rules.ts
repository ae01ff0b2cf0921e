import { create, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import { type HttpRule, HttpRuleSchema } from "../../../gen/google/api/http_pb.js";
import { methodName, ruleInFile } from "./http-rule.js";

/**
 * Rules from outside the proto files, as in the `http` section of a service configuration. The `selector` of a rule is the
 * full name of its method, `library.v1.LibraryService.GetBook`. The rule replaces that of the proto file. If several rules
 * select one method, the last one applies.
 * https://github.com/googleapis/googleapis/blob/master/google/api/http.proto
 */
export type HttpRules = readonly MessageInitShape<typeof HttpRuleSchema>[];

/**
 * Returns a function that finds the rule of a method: the one that selects it, or that of its proto file, or undefined.
 * Throws an Error that names the selector of a rule that selects none of the methods.
 */
export function ruleFinder(
  methods: readonly DescMethod[],
  rules: HttpRules = [],
): (method: DescMethod) => HttpRule | undefined {
  const names = new Set(methods.map(methodName));
  const selected = new Map<string, HttpRule>();
  for (const init of rules) {
    const rule = create(HttpRuleSchema, init);
    if (!names.has(rule.selector)) {
      throw new Error(`a rule selects '${rule.selector}', which is not a registered method`);
    }
    selected.set(rule.selector, rule);
  }
  return (method) => selected.get(methodName(method)) ?? ruleInFile(method);
}
