import { useState } from "preact/hooks";
import { TextInput } from "../../kit/form/fields.js";
import { isSteam, matchCode, type Verdict } from "./codes.js";
import type { Codes } from "./use-codes.js";

const VERDICTS: Readonly<Record<Verdict, string>> = {
  current: "Correct: this is the current code.",
  previous: "Correct, but one step old: this was the code before. Most services still accept it.",
  next: "Almost: this is the next code. The clock of the device may be fast.",
  secondPrevious: "Too old: this code was current two time steps ago. The clock of the device may be slow.",
  malformed: "This is no code: a code has only digits.",
  tooLong: "This is too long: a code of this account has fewer characters.",
  none: "Wrong: this is not a code of the secret. Check the secret, and the clock of the device.",
};

/** The verdicts that are about the text, not about the code. */
const MISTAKES: readonly Verdict[] = ["malformed", "tooLong"];

/** Checks a code of an authenticator app against the codes of the account. */
export function CheckCard({ codes: { response } }: { readonly codes: Codes }) {
  const [typed, setTyped] = useState("");
  const verdict = matchCode(response?.otpCodes, typed);
  const isMistake = verdict !== undefined && MISTAKES.includes(verdict);
  return (
    <section class="card card-body otp-check" aria-labelledby="otp-check">
      <h2 id="otp-check">Check a code</h2>
      <div class="field">
        <label for="otp-typed">Code from your authenticator app</label>
        <TextInput
          id="otp-typed"
          class="control code otp-typed"
          value={typed}
          set={setTyped}
          inputMode={isSteam(response?.otpCodes) ? "text" : "numeric"}
          placeholder="123 456"
          aria-invalid={isMistake}
          aria-describedby="otp-verdict"
        />
        <p id="otp-verdict" class={`verdict verdict-${verdict ?? "missing"}`} role="status">
          {verdict !== undefined && VERDICTS[verdict]}
        </p>
      </div>
    </section>
  );
}
