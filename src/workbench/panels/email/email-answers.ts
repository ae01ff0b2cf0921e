import type { ItemError } from "@utility-tools/protos/utilitytools/v1/item_error_pb.js";
import type { Answer } from "../../list/work/answers.js";

/** The parts of a result of `BatchSanitizeEmails` in JSON that the list shows. */
export interface EmailResults {
  readonly results: readonly {
    readonly input: string;
    readonly answer?: { readonly email: string };
    readonly error?: Pick<ItemError, "message">;
  }[];
}

/** The names of the columns, in the order of the values of an answer. */
export const EMAIL_COLUMNS = ["normalized", "changed", "domain", "duplicate_of"] as const;

/**
 * Returns the answers of a batch in order, of the kinds `unique` and `invalid`. Their values are the normalized address, whether it
 * differs from the input, its domain, and "" for the duplicate.
 */
export function emailAnswers({ results }: EmailResults): Answer[] {
  return results.map(answerOf);
}

function answerOf({ input, answer, error }: EmailResults["results"][number]): Answer {
  if (error !== undefined) {
    return { kind: "invalid", values: [], error: error.message };
  }
  const email = answer?.email ?? "";
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
