import type {
  GenerateOtpRequestSchema,
  OtpService,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isOtpExport } from "../../../text/otp/key-uri.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { PanelHeading } from "../../kit/content.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { useForm } from "../../kit/form/form.js";
import { defaultValues } from "../../kit/form/request.js";
import { usePlace } from "../../kit/location.js";
import { useCall } from "../../kit/service/call.js";
import { useSession } from "../../kit/session.js";
import { OneOrList, type OneProps } from "../../list/one-or-list.js";
import { useListPaste } from "../../list/use-list-paste.js";
import { methodAt } from "../../schema/method.js";
import { messageNamed } from "../../schema/schema.js";
import {
  type Account,
  accountOf,
  compactSecret,
  isSetupLink,
  secretProblem,
  setupLinkOf,
} from "./account.js";
import { AccountCard, OptionsCard } from "./account-card.js";
import { CheckCard } from "./check-card.js";
import { CurrentCode } from "./code-view.js";
import { Enrollment } from "./enrollment.js";
import { ImportedAccounts } from "./imported-accounts.js";
import { useCodes } from "./use-codes.js";
import { useDroppedLink } from "./use-dropped-link.js";
import "./otp.css";

const GENERATE = methodAt<typeof OtpService.method.generateOtp>("OtpService/GenerateOtp");
const GENERATE_REQUEST = messageNamed<typeof GenerateOtpRequestSchema>("GenerateOtpRequest");
const VERIFY_DEFAULTS = defaultValues(messageNamed<typeof VerifyOtpRequestSchema>("VerifyOtpRequest"));

/** What replaced the account, and the account before. */
interface Replacement {
  readonly text: string;
  readonly before: Account;
}

const loadList = () => import("./list/code-list.js").then(({ CodeList }) => CodeList);

/** One account with its secret, or the current codes of a list of secrets. No secret is in the URL. */
export function OtpPanel() {
  const place = usePlace("otp");
  return (
    <>
      <PanelHeading
        title="One-time passwords"
        about="Scan the QR code with an authenticator app: it then shows the current code. Nothing is stored."
      />
      <OneOrList place={place} label="Show codes" one="One account" loadList={loadList}>
        {(isShown) => <OneAccount isShown={isShown} />}
      </OneOrList>
    </>
  );
}

/**
 * An account with its secret: the current code, the QR code to set it up, and a check of codes. The secret stays when other fields
 * change.
 */
function OneAccount({ isShown }: Pick<OneProps, "isShown">) {
  const { account, form, setAccount } = useAccount();
  const [replacement, setReplacement] = useState<Replacement>();
  const [exported, setExported] = useState("");
  const current = useRef(account);
  current.current = account;
  const replace = useCallback(
    (next: Partial<Account>, text: string) => {
      const before = current.current;
      setAccount(next);
      setReplacement(before.secret === "" ? undefined : { text, before });
    },
    [setAccount],
  );

  const generate = useCall(GENERATE);
  const { send, outcome } = generate;
  const { request } = form;
  const first = useRef(request);
  const { handOver } = useSession();
  const [handed] = useState(() => handOver.take("otp"));
  useEffect(() => {
    // A secret that was handed over takes the place of a new one.
    if (handed === "") {
      send(first.current);
    }
  }, [send, handed]);
  useEffect(() => {
    if (outcome?.ok === true) {
      replace({ secret: outcome.value.message.secret }, "A new secret replaced the one before.");
    }
  }, [outcome, replace]);

  const read = useCallback(
    (link: string) => {
      setExported(isOtpExport(link) ? link : "");
      const found = accountOf(link);
      if (found.ok) {
        replace(found.value, "The account of the link replaced the one before.");
      }
      return isOtpExport(link) || found.ok ? "" : found.failure.description;
    },
    [replace],
  );
  const drop = useDroppedLink(read);
  useEffect(() => {
    // A link that cannot be used stands in the field, with what is wrong.
    if (handed !== "" && !(isSetupLink(handed) && drop.readText(handed))) {
      setAccount({ secret: handed });
    }
    // Once: what is typed later is not replaced.
  }, [handed]);
  const setupLink = setupLinkOf(account);
  const codesRequest = useMemo(() => codesRequestOf(account, setupLink), [account, setupLink]);
  const codes = useCodes(codesRequest);
  const onListPaste = useListPaste("otp");
  return (
    <div hidden={!isShown}>
      <div
        class={drop.isOver ? "columns otp drop-target" : "columns otp"}
        {...drop.handlers}
        onPaste={(event) => {
          onListPaste(event);
          if (!event.defaultPrevented) {
            drop.handlers.onPaste(event);
          }
        }}
      >
        {replacement !== undefined && (
          <p class="row spread notice otp-notice" role="status">
            {replacement.text}{" "}
            <button
              type="button"
              class="quiet"
              onClick={() => {
                setAccount(replacement.before);
                setReplacement(undefined);
              }}
            >
              Undo
            </button>
          </p>
        )}
        {exported !== "" && (
          <section class="card card-body otp-notice" aria-label="Export">
            <ImportedAccounts
              link={exported}
              onPick={(uri) => {
                read(uri);
                setExported("");
              }}
            />
          </section>
        )}
        <CurrentCode codes={codes} hasSecret={account.secret.trim() !== ""} />
        <Enrollment account={account} setupLink={setupLink} onNewSecret={() => send(request)} />
        <AccountCard
          form={form}
          account={account}
          problem={drop.problem}
          onLink={read}
          onPicture={drop.readPicture}
        />
        <div class="stack otp-side">
          <CheckCard codes={codes} />
          <OptionsCard form={form} violations={codes.call.violations} />
        </div>
      </div>
      {outcome?.ok === false && outcome.failure.violations.length === 0 && (
        <ErrorView error={outcome.failure} />
      )}
      {isShown && (
        <>
          <ExchangeView {...generate} request={request} />
          <ExchangeView {...codes.call} request={codesRequest} />
        </>
      )}
    </div>
  );
}

const NO_ACCOUNT: Account = { issuer: "", label: "", secret: "", digits: "", algorithm: "", period: "" };

/** The account in the form. The form has the fields of the request for a new secret, and the secret itself. */
function useAccount() {
  const form = useForm(GENERATE_REQUEST);
  const { values, set } = form;
  const account: Account = useMemo(() => ({ ...NO_ACCOUNT, ...values }), [values]);
  const setAccount = useCallback(
    (next: Partial<Account>) => {
      for (const [name, value] of Object.entries(next)) {
        set(name, value);
      }
    },
    [set],
  );
  return { account, form, setAccount };
}

/** The request for the codes of an account. Omits options with their default, so that snippets are short. */
function codesRequestOf(account: Account, setupLink: string | undefined) {
  const { secret, digits, algorithm, period } = account;
  if (secret.trim() === "" || isSetupLink(secret) || secretProblem(secret) !== "") {
    return {};
  }
  // Only a key URI can say that codes have 7 digits, or Steam's letters.
  if (setupLink !== undefined && (digits === "5" || digits === "7")) {
    return { keyUri: setupLink };
  }
  return {
    secret: compactSecret(secret),
    digits: Number(digits),
    ...(algorithm !== VERIFY_DEFAULTS.algorithm && { algorithm }),
    ...(period !== VERIFY_DEFAULTS.period && { period: Number(period) }),
  };
}
