import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect } from "preact/hooks";
import { NoValue } from "../../../kit/answers/table.js";
import { CopyButton } from "../../../kit/copy.js";
import { ListLookup } from "../../../list/list-lookup.js";
import type { ListColumn, ListTool } from "../../../list/list-tool.js";
import type { ListRun } from "../../../list/use-list.js";
import type { Answer } from "../../../list/work/answers.js";
import { PAGE_ROWS } from "../../../list/work/list-work.js";
import { methodAt } from "../../../schema/method.js";
import { labelOf } from "../../../schema/schema.js";
import { isSetupLink } from "../account.js";
import { Code } from "../code-view.js";
import { useNow } from "../use-codes.js";
import { type CODE_COLUMNS, type CodesOverview, codeAt } from "./code-answers.js";

type Verify = typeof OtpService.method.verifyOtp;

/** The codes of secrets and setup links. */
const CODES: ListTool = {
  startWorker: () => new Worker(new URL("./code-worker.ts", import.meta.url), { type: "module" }),
  id: "otp",
  command: "otp verify --csv --secret-file",
  method: methodAt<Verify>("OtpService/VerifyOtp"),
  label: "Secrets or setup links",
  help: "A table needs a header. The results have the names and the codes, but not the secrets.",
  isSecret: true,
  requestOf: ([input = ""]) =>
    (isSetupLink(input) ? { keyUri: input } : { secret: input }) satisfies MessageInitShape<Verify["input"]>,
  kinds: { code: "with a code", invalid: "invalid" },
  shown: {
    issuer: { label: labelOf("issuer") },
    account: { label: labelOf("label") },
    code: { label: "Code", show: (_, answer) => <CodeCell answer={answer} /> },
    valid_until: { label: "Seconds left", show: (_, answer) => <SecondsCell answer={answer} /> },
  } satisfies Partial<Record<(typeof CODE_COLUMNS)[number], ListColumn>>,
  examples: [
    "otpauth://totp/Example:jane@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Example",
    "otpauth://totp/Shop:jane?secret=GEZDGNBVGY3TQOJQ&issuer=Shop&digits=8",
    "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP",
  ],
  action: "Show codes",
  inputLabel: "Row",
};

/** Shows the current codes of a list of secrets. */
export function CodeList({ isShown }: { readonly isShown: boolean }) {
  return (
    <ListLookup
      tool={CODES}
      isShown={isShown}
      overview={(overview: CodesOverview, list) => (
        <Renewal overview={overview} list={list} isShown={isShown} />
      )}
    />
  );
}

interface RenewalProps {
  readonly overview: CodesOverview;
  readonly list: ListRun<CodesOverview>;
  readonly isShown: boolean;
}

/** Fetches the codes of a short list again when they are out of date. For a long list, there is a button. */
function Renewal({ overview: { dueAt, count }, list: { phase, update, resume }, isShown }: RenewalProps) {
  const isDue = useTime() >= (dueAt ?? Number.POSITIVE_INFINITY) && phase === "complete";
  const isShort = count <= PAGE_ROWS;
  useEffect(() => {
    if (isDue && isShort && isShown) {
      update();
    }
    // After each update, the codes are due at another time.
  }, [isDue, dueAt, isShort, isShown]);
  return isDue && !isShort ? (
    <p class="row spread notice" role="status">
      Some codes are out of date.{" "}
      <button type="button" class="quiet" onClick={resume}>
        Update the codes
      </button>
    </p>
  ) : null;
}

function CodeCell({ answer }: { readonly answer: Answer }) {
  const { code } = codeAt(answer, useTime()) ?? {};
  return code === undefined ? (
    <NoValue />
  ) : (
    <span class="cell otp-cell">
      <Code code={code} /> <CopyButton text={code} what={`the code of ${answer.values[1] || "this row"}`} />
    </span>
  );
}

function SecondsCell({ answer }: { readonly answer: Answer }) {
  const { secondsLeft } = codeAt(answer, useTime()) ?? {};
  return secondsLeft === undefined ? <NoValue /> : <span class="otp-left numbers">{secondsLeft}</span>;
}

/** How often the codes and their seconds are updated, in milliseconds. */
const TICK = 500;

/** Returns the time of the browser in milliseconds since 1970, updated while the page is visible. */
function useTime(): number {
  useNow(TICK);
  return Date.now();
}
