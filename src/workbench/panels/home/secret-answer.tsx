import { useMemo } from "preact/hooks";
import { splitKeyUri } from "../../../text/otp/key-uri.js";
import { CopyButton } from "../../kit/copy.js";
import { panelHash } from "../../kit/location.js";
import { useSession } from "../../kit/session.js";
import { compactSecret, isSetupLink } from "../otp/account.js";
import { useCodes } from "../otp/use-codes.js";
import { ResultCard } from "./result-card.js";

/** The current code of a secret or a setup link. The link leads to the panel, which takes the secret over in memory. */
export function SecretResult({ text }: { readonly text: string }) {
  const { handOver } = useSession();
  const request = useMemo(
    () => (isSetupLink(text) ? { keyUri: text } : { secret: compactSecret(text) }),
    [text],
  );
  const { call, response, secondsLeft } = useCodes(request);
  const { issuer, label } = splitKeyUri(text) ?? {};
  const account = [issuer, label].filter(Boolean).join(": ");
  const code = response?.otpCodes?.current ?? "";
  return (
    <ResultCard
      tool="otp"
      what="Secret of one-time passwords"
      title={code === "" ? "" : "The current code"}
      heading={
        <span class="home-code">
          {code.slice(0, code.length / 2)} {code.slice(code.length / 2)}
        </span>
      }
      button={<CopyButton text={code} what="the current code" />}
      error={call.failure}
      link={{
        href: panelHash("otp"),
        text: "Open One-time passwords",
        onFollow: () => handOver.put("otp", request.keyUri ?? request.secret),
      }}
      aside="The secret is in no link, and not in the history."
    >
      {code !== "" && (
        <p>
          {account !== "" && `${account} · `}
          {secondsLeft} {secondsLeft === 1 ? "second" : "seconds"} left
        </p>
      )}
    </ResultCard>
  );
}
