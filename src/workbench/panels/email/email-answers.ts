import type {
  BatchSanitizeEmailsResponse,
  SanitizedEmail,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import type { Answer } from "../../list/answers.js";

/**
 * Returns the answers of a batch in order, of the kinds `unique` and `invalid`. Their values are the normalized address, whether it
 * differs from the input, its domain, and "" for the duplicate.
 */
export function emailAnswers({ results }: BatchSanitizeEmailsResponse): Answer[] {
  return results.map(answerOf);
}

function answerOf({ input, outcome }: SanitizedEmail): Answer {
  if (outcome.case === "error") {
    return { kind: "invalid", values: [], error: outcome.value.message };
  }
  const email = outcome.value?.email ?? "";
  return {
    kind: "unique",
    values: [email, email !== input, email.slice(email.lastIndexOf("@") + 1), ""],
    error: "",
  };
}

/** Marks each answer as `duplicate` whose normalized address occurs in an earlier row, with the address in that row. */
export function markDuplicates(
  inputs: readonly string[],
  answers: readonly (Answer | undefined)[],
): (Answer | undefined)[] {
  const first = new Map<string, string>();
  return answers.map((answer, row) => {
    const email = answer?.values[0];
    if (answer === undefined || typeof email !== "string") {
      return answer;
    }
    const earlier = first.get(email);
    if (earlier === undefined) {
      first.set(email, inputs[row] ?? "");
      return answer;
    }
    return { ...answer, kind: "duplicate", values: [...answer.values.slice(0, -1), earlier] };
  });
}
