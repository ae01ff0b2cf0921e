import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../../kit/copy.js";
import { useJson } from "../../kit/service/send.js";
import { useSession } from "../../kit/session.js";
import { panelHash } from "../../panels.js";
import type { CodeAnswer } from "./answers.js";
import type { Reading } from "./reading.js";
import { ResultCard } from "./result-card.js";

type SecretReading = Extract<Reading, { kind: "secret" }>;

/** The current code of a secret. The link leads to the panel, which takes the secret over in memory. */
export function SecretResult({ request, account }: SecretReading) {
  const { handOver } = useSession();
  const [round, setRound] = useState(0);
  // Each round fetches the code of the next time step.
  const { answer, failure } = useJson<CodeAnswer>("OtpService/VerifyOtp", request, round);
  const seconds = useSecondsLeft(answer?.period, () => setRound((count) => count + 1));
  const code = answer?.otp_codes.current;
  return (
    <ResultCard
      tool="otp"
      what="Secret of one-time passwords"
      title={code === undefined ? "" : "The current code"}
      error={failure}
      link={{
        href: panelHash("otp"),
        text: "Open One-time passwords",
        onFollow: () => handOver.put("otp", "secret" in request ? request.secret : request.key_uri),
      }}
      aside="The secret is in no link, and not in the history."
    >
      {code !== undefined && (
        <>
          <div class="row heading home-title">
            <h2 class="home-code">
              {code.slice(0, code.length / 2)} {code.slice(code.length / 2)}
            </h2>
            <CopyButton text={code} what="the current code" />
          </div>
          <p>
            {account !== "" && `${account} · `}
            {seconds} {seconds === 1 ? "second" : "seconds"} left
          </p>
        </>
      )}
    </ResultCard>
  );
}

/** Returns the whole seconds until the next time step by the browser's clock. Calls `onStep` when it begins. */
function useSecondsLeft(period: number | undefined, onStep: () => void): number {
  const [seconds, setSeconds] = useState(period ?? 0);
  useEffect(() => {
    if (period === undefined) {
      return;
    }
    const left = () => period - (Math.floor(Date.now() / 1_000) % period);
    let before = left();
    setSeconds(before);
    const timer = setInterval(() => {
      const now = left();
      if (now > before) {
        onStep();
      }
      before = now;
      setSeconds(now);
    }, 500);
    return () => clearInterval(timer);
  }, [period]);
  return seconds;
}
