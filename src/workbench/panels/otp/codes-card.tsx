import { ErrorView } from "../../kit/error-view.js";
import { CodeCheck } from "./code-check.js";
import { CodesView } from "./codes-view.js";
import type { Codes } from "./use-codes.js";

/** The codes as they move with the clock, and a place to hold one's own against them. */
export function CodesCard({ codes: { answer, secondsLeft, call } }: { readonly codes: Codes }) {
  const { outcome, violations, isLoading } = call;
  const codes = answer?.otpCodes;
  return (
    <section class="card card-body" aria-labelledby="codes">
      <h2 id="codes">Codes</h2>
      {answer !== undefined && codes !== undefined && (
        <>
          <CodesView codes={codes} secondsLeft={secondsLeft} period={answer.period} />
          <CodeCheck codes={codes} />
        </>
      )}
      {outcome?.ok === false && violations.length === 0 && <ErrorView error={outcome.failure} />}
      {codes === undefined && !isLoading && <p class="help">The codes of a secret appear here.</p>}
    </section>
  );
}
