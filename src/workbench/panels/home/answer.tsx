import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../../kit/copy.js";
import type { ShownError } from "../../kit/errors.js";
import { Icon } from "../../kit/icon.js";
import { useJson } from "../../kit/json-call.js";
import { formatPlace, parsePlace } from "../../kit/location.js";
import { sentenceOf } from "../../kit/sentence.js";
import { useAnnouncement } from "../../kit/session.js";
import { panelHash } from "../../panels.js";
import { AddressResult } from "./address-answer.js";
import {
  type CodeAnswer,
  type EmailAnswer,
  type FoundCountry,
  type ImageAnswer,
  namedCountries,
  type SearchAnswer,
} from "./answers.js";
import { CountryResult } from "./country-answer.js";
import { mayBeSecret, type Reading } from "./reading.js";

interface AnswerProps {
  readonly reading: Reading;
  /** Called with a text to look up instead. */
  readonly onPick: (text: string) => void;
}

/** The answer to what was typed, by what it is taken for. A new text needs a new component. */
export function HomeAnswer({ reading, onPick }: AnswerProps) {
  switch (reading.kind) {
    case "ip":
      return <AddressResult address={reading.text} />;
    case "email":
      return <EmailResult address={reading.text} />;
    case "secret":
      return <SecretResult {...reading} />;
    case "text":
      return <TextResult text={reading.text} onPick={onPick} />;
  }
}

interface ResultCardProps {
  /** The id of the panel, which is the name of its icon too. */
  readonly tool: string;
  /** What the text was taken for. */
  readonly what: string;
  /** The heading, which is announced; "" while it is not known. */
  readonly title: string;
  readonly error?: ShownError | undefined;
  /** What to say instead of the service's description of a wrong text. */
  readonly mistake?: string;
  /** Where the answer goes on. */
  readonly link: { readonly href: string; readonly text: string };
  /** At the end of the last line: another reading, or the age of the data. */
  readonly aside?: ComponentChildren;
  /** Everything below the kind of the text, if there is no error. */
  readonly children: ComponentChildren;
}

/** The frame of an answer: what the text was taken for, the answer, and the link to the panel. */
export function ResultCard({ tool, what, title, error, mistake, link, aside, children }: ResultCardProps) {
  useAnnouncement(error === undefined ? title : "");
  return (
    <section class="card home-result" aria-label="Answer" aria-busy={title === "" && error === undefined}>
      <div class="home-result-body">
        <p class="home-kind">
          <Icon name={tool} /> {what}
        </p>
        {error === undefined ? children : <ErrorLine error={error} mistake={mistake} />}
      </div>
      <div class="home-result-end">
        <a href={link.href}>{link.text}</a>
        {aside !== undefined && <span class="meta">{aside}</span>}
      </div>
    </section>
  );
}

/** What is wrong with the text. */
function ErrorLine({
  error,
  mistake,
}: {
  readonly error: ShownError;
  readonly mistake?: string | undefined;
}) {
  const [violation] = error.violations;
  const text = violation === undefined ? error.message : (mistake ?? violation.description);
  return (
    <p class="wrong" role="alert">
      {sentenceOf(text)}
    </p>
  );
}

function EmailResult({ address }: { readonly address: string }) {
  const { send, outcome } = useJson<EmailAnswer>("EmailService/ExplainEmail");
  useEffect(() => send({ email: address }), [send, address]);
  const answer = outcome?.ok === true ? outcome.value : undefined;
  return (
    <ResultCard
      tool="email"
      what="E-mail address"
      title={answer?.email ?? ""}
      error={outcome?.ok === false ? outcome.failure : undefined}
      link={{ href: panelHash("email", { parameters: { address } }), text: "Open in E-mail" }}
      aside={<TextLink text={address} />}
    >
      {answer !== undefined && (
        <>
          <div class="home-title">
            <h2>{answer.email}</h2>
            <CopyButton text={answer.email} what="the normalized address" />
          </div>
          {answer.steps.length === 0 ? (
            <p>This is already the one spelling of the mailbox.</p>
          ) : (
            <ul class="home-reasons">
              {answer.steps.map(({ description }) => (
                <li key={description}>{description}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </ResultCard>
  );
}

/** A link that makes a QR code of a text; nothing if the text must not be in a link. */
function TextLink({ text }: { readonly text: string }) {
  const href = barcodeHash(text);
  return href === undefined ? null : <a href={href}>As a QR code</a>;
}

/** Returns the hash of the QR code of a text; undefined if a URL must not contain the text. */
function barcodeHash(text: string): string | undefined {
  const hash = formatPlace({ panel: "barcode", value: "", parameters: new URLSearchParams({ data: text }) });
  return mayBeSecret(text) || parsePlace(hash)?.parameters.get("data") !== text ? undefined : hash;
}

type SecretReading = Extract<Reading, { kind: "secret" }>;

/** The current code of a secret. The link leads to the panel without the secret. */
function SecretResult({ secret, digits, account }: SecretReading) {
  const { send, outcome } = useJson<CodeAnswer>("OtpService/VerifyOtp");
  const answer = outcome?.ok === true ? outcome.value : undefined;
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (secret !== "") {
      send({ secret, digits });
    }
    // Each round fetches the code of the next time step.
  }, [send, secret, digits, round]);
  const seconds = useSecondsLeft(answer?.period, () => setRound((count) => count + 1));
  const code = answer?.otp_codes.current;
  return (
    <ResultCard
      tool="otp"
      what="Secret of one-time passwords"
      title={secret === "" ? "No code" : code === undefined ? "" : "The current code"}
      error={outcome?.ok === false ? outcome.failure : undefined}
      link={{ href: panelHash("otp"), text: "Open One-time passwords" }}
      aside="The secret is in no link, and not in the history."
    >
      {secret === "" && (
        <p>
          This link has no secret that makes a code of 30 seconds. Links of this kind start with{" "}
          <code>otpauth://totp/</code>.
        </p>
      )}
      {code !== undefined && (
        <>
          <div class="home-title">
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

/** How long a text is searched among the names of countries. */
const MAX_NAME = 100;

/** A country, if the text is its name; else a QR code, with the nearest country. */
function TextResult({ text, onPick }: { readonly text: string; readonly onPick: (text: string) => void }) {
  const canBeName = text.length <= MAX_NAME && !text.includes("\n") && !mayBeSecret(text);
  const { send, outcome } = useJson<SearchAnswer>("CountriesService/SearchCountries");
  useEffect(() => {
    if (canBeName) {
      send({ query: text, limit: 5 });
    }
  }, [send, text, canBeName]);
  if (canBeName && outcome === undefined) {
    return <div class="card home-waiting" />;
  }
  const matches = outcome?.ok === true ? outcome.value.matches : [];
  const [named, ...others] = namedCountries(matches);
  return named === undefined ? (
    <BarcodeResult text={text} near={/^[a-z]+:/i.test(text) ? undefined : matches[0]} onPick={onPick} />
  ) : (
    <CountryResult match={named} others={others} aside={<TextLink text={text} />} />
  );
}

interface BarcodeResultProps {
  readonly text: string;
  /** The country whose name is nearest to the text. */
  readonly near: FoundCountry | undefined;
  readonly onPick: (text: string) => void;
}

function BarcodeResult({ text, near, onPick }: BarcodeResultProps) {
  const { send, outcome } = useJson<ImageAnswer>("BarcodeService/RenderBarcode");
  useEffect(() => send({ data: text }), [send, text]);
  const image = outcome?.ok === true ? outcome.value.image : undefined;
  const href = barcodeHash(text);
  return (
    <>
      {near !== undefined && (
        <p class="home-suggestion">
          Did you mean{" "}
          <button type="button" class="quiet" onClick={() => onPick(near.country.name)}>
            {near.country.name}
          </button>
          {near.value === near.country.name ? "" : ` (${near.value})`}?
        </p>
      )}
      <ResultCard
        tool="barcode"
        what="Text for a QR code"
        title={image === undefined ? "" : "QR code"}
        error={outcome?.ok === false ? outcome.failure : undefined}
        link={{ href: href ?? panelHash("barcode"), text: `Open ${href === undefined ? "" : "in "}Bar code` }}
        aside={href === undefined ? "This text may be a secret, so it is in no link." : undefined}
      >
        {image !== undefined && (
          <div class="home-barcode">
            <JsonImage {...image} alt="QR code of the text" />
            <div>
              <h2>QR code</h2>
              <p class="home-text">{text}</p>
            </div>
          </div>
        )}
      </ResultCard>
    </>
  );
}

/** An image in Base64. The Content-Security-Policy allows no `data:` URLs. */
function JsonImage({ contentType, data, alt }: ImageAnswer["image"] & { readonly alt: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type: contentType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [contentType, data]);
  return url === undefined ? <div class="qr" /> : <img class="qr" src={url} alt={alt} />;
}
