import { useMemo } from "preact/hooks";
import { readOtpExport } from "../../../text/otp-migration.js";
import { sentenceOf } from "../../kit/text.js";

interface ImportedAccountsProps {
  /** A link of an export. */
  readonly link: string;
  /** Called with the key URI of an account. */
  readonly onPick: (uri: string) => void;
}

/** The accounts of an export of Google Authenticator. The page reads them, and sends only what the user chooses. */
export function ImportedAccounts({ link, onPick }: ImportedAccountsProps) {
  const read = useMemo(() => readOtpExport(link), [link]);
  if (!read.ok) {
    return <p class="wrong">{sentenceOf(`the link ${read.failure.description}`)}</p>;
  }
  const { accounts, index, links } = read.value;
  return (
    <fieldset class="field">
      <legend>Accounts of the export</legend>
      <p class="help">Choose an account.{links > 1 && ` This is link ${index + 1} of ${links}.`}</p>
      <div class="actions">
        {accounts.map((account, place) =>
          account.ok ? (
            <button key={place} type="button" class="quiet" onClick={() => onPick(account.value.uri)}>
              {[account.value.issuer, account.value.label].filter(Boolean).join(": ") || "Without a name"}
            </button>
          ) : (
            <p key={place} class="wrong">
              {sentenceOf(`account ${place + 1} ${account.failure.description}`)}
            </p>
          ),
        )}
      </div>
    </fieldset>
  );
}
