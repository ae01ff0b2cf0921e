import type { ExplainEmailResponse } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import type { Plain } from "../../schema/method.js";

/** What an answer says about an address, in words. */
interface MailboxWords {
  /** One sentence about the whole. */
  readonly verdict: string;
  /** Whether the address should be asked for again, or not be relied on. */
  readonly isWarning: boolean;
  /** What the lists say about the domain and the name. */
  readonly findings: readonly string[];
}

/** The parts of an answer that are described. */
type Facts = Pick<
  Plain<ExplainEmailResponse>,
  "disposable" | "freeProvider" | "roleAccount" | "relay" | "didYouMean" | "steps"
>;

/** Describes the answer about an address in words. */
export function describeMailbox(response: Facts): MailboxWords {
  const { disposable, freeProvider, roleAccount, relay, didYouMean, steps } = response;
  const provider = steps.find((step) => step.provider !== "")?.provider ?? "";
  const findings = [
    disposable && "Disposable",
    relay && "Forwards to another mailbox",
    freeProvider && (provider === "" ? "Free provider" : `Free provider: ${provider}`),
    roleAccount && "A role, not a person",
  ].filter((finding) => finding !== false);
  if (didYouMean !== "") {
    return { verdict: "The domain is probably misspelled.", isWarning: true, findings };
  }
  if (disposable) {
    return { verdict: "This address is disposable: do not rely on it.", isWarning: true, findings };
  }
  const verdict =
    steps.length === 0
      ? "This is the one spelling of the mailbox already."
      : "This is the one spelling of the mailbox. Mail to both spellings arrives there.";
  return { verdict, isWarning: false, findings };
}
