import { useEffect, useState } from "preact/hooks";
import type { readOtpExport } from "../../../text/otp/otp-migration.js";
import { sentenceOf } from "../../kit/text.js";

interface ImportedAccountsProps {
  /** A link of an export. */
  readonly link: string;
  /** Called with the key URI of an account. */
  readonly onPick: (uri: string) => void;
}

/** The accounts of an export of Google Authenticator. The page reads them, and sends only what the user chooses. */
export function ImportedAccounts({ link, onPick }: ImportedAccountsProps) {
  const [read, setRead] = useState<ReturnType<typeof readOtpExport>>();
  useEffect(() => {
    // Few users have an export, and its reader needs the protobuf library.
    void import("../../../text/otp/otp-migration.js").then((reader) => setRead(reader.readOtpExport(link)));
  }, [link]);
  if (read === undefined) {
    return null;
  }
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
          account.ok && account.value.problem === "" ? (
            <button key={place} type="button" class="quiet" onClick={() => onPick(account.value.uri)}>
              {[account.value.issuer, account.value.label].filter(Boolean).join(": ") || "Without a name"}
            </button>
          ) : (
            <p key={place} class="wrong">
              {sentenceOf(
                `account ${place + 1} ${account.ok ? account.value.problem : account.failure.description}`,
              )}
            </p>
          ),
        )}
      </div>
    </fieldset>
  );
}
