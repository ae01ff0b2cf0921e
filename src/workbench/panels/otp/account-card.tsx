import type { GenerateOtpRequestSchema } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useId, useState } from "preact/hooks";
import { checkName } from "../../../text/account-name.js";
import { Prose } from "../../kit/content.js";
import { CopyButton } from "../../kit/copy.js";
import { FieldNotes, FileButton, TextInput, withNotes } from "../../kit/form/fields.js";
import { type Form, FormField } from "../../kit/form/form.js";
import type { InvalidField } from "../../kit/service/errors.js";
import { sentenceOf } from "../../kit/text.js";
import { labelOf } from "../../schema/schema.js";
import { type Account, compactSecret, isSetupLink, secretProblem } from "./account.js";

interface AccountCardProps {
  readonly form: Form<typeof GenerateOtpRequestSchema>;
  readonly account: Account;
  /** Why a picture or a text that was dropped could not be read; "" if it could. */
  readonly problem: string;
  /** Called with a setup link in the field of the secret. Returns why it cannot be used, or "". */
  readonly onLink: (link: string) => string;
  readonly onPicture: (picture: File) => void;
}

/** The names of the account, and its secret. */
export function AccountCard({ form, account, problem, onLink, onPicture }: AccountCardProps) {
  const id = useId();
  const ofName = (field: "issuer" | "label") =>
    checkName(account[field]).map((failure) => ({ field, ...failure }));
  return (
    <form
      class="card card-body otp-account"
      aria-labelledby={id}
      onSubmit={(event) => event.preventDefault()}
    >
      <h2 id={id}>Account</h2>
      <div class="fields">
        <FormField form={form} name="issuer" violations={ofName("issuer")} />
        <FormField form={form} name="label" violations={ofName("label")} />
      </div>
      <SecretField
        value={account.secret}
        set={(text) => form.set("secret", text)}
        wrong={problem || secretProblem(account.secret)}
        onLink={onLink}
        onPicture={onPicture}
      />
    </form>
  );
}

interface OptionsCardProps extends Pick<AccountCardProps, "form"> {
  /** The violations of the request for the codes. */
  readonly violations: readonly InvalidField[];
}

/** How the codes of the account are made. */
export function OptionsCard({ form, violations }: OptionsCardProps) {
  const isOption = ({ field }: InvalidField) => ["digits", "algorithm", "period"].includes(field);
  return (
    <details class="card card-body fold" open={violations.some(isOption) ? true : undefined}>
      <summary>More options</summary>
      <div class="fold-body">
        <FormField form={form} name="digits" violations={violations} />
        <FormField
          form={form}
          name="algorithm"
          help="Many apps ignore it, and use SHA1."
          violations={violations}
        />
        <FormField
          form={form}
          name="period"
          help="In seconds. Many apps ignore it, and use 30."
          violations={violations}
        />
      </div>
    </details>
  );
}

interface SecretFieldProps {
  readonly value: string;
  readonly set: (text: string) => void;
  readonly wrong: string;
  readonly onLink: AccountCardProps["onLink"];
  readonly onPicture: AccountCardProps["onPicture"];
}

const SECRET = labelOf("secret");

/** The secret, masked until the user asks for it. Also takes a setup link, and a picture of its QR code. */
function SecretField({ value, set, wrong, onLink, onPicture }: SecretFieldProps) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const [linkProblem, setLinkProblem] = useState("");
  const problem = isSetupLink(value) ? sentenceOf(linkProblem) : wrong;
  return (
    <div class="field">
      <label for={id}>{SECRET}</label>
      <div class="row tight secret-row">
        <TextInput
          {...withNotes(id, problem !== "")}
          isCode
          isMasked={!isShown}
          value={value}
          set={(text) => {
            const found = isSetupLink(text) ? onLink(text) : "";
            setLinkProblem(found);
            if (!isSetupLink(text) || found !== "") {
              set(text);
            }
          }}
        />
        <button type="button" class="quiet" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide" : "Show"}
        </button>
        <CopyButton text={compactSecret(value)} what={SECRET} />
      </div>
      <FieldNotes
        id={id}
        wrong={<Prose text={problem} />}
        help="It stays when you change a name. Paste your own, or a setup link, or drop a picture of its QR code here."
      />
      <FileButton label="Open a picture" accept="image/*" onFile={onPicture} />
    </div>
  );
}
