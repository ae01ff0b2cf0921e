import { isOtpExport, splitKeyUri } from "../../../../text/otp/key-uri.js";
import { readOtpExport } from "../../../../text/otp/otp-migration.js";
import type { Answer } from "../../../list/work/answers.js";
import type { Received } from "../../../list/work/work-tool.js";
import { isSetupLink } from "../account.js";
import { narrowOffset, stepPosition } from "../codes.js";

/** The parts of a response of `VerifyOtp` in JSON that the list shows. */
export interface CodesResult {
  readonly otp_codes: { readonly current: string; readonly "+30s": string };
  readonly period: number;
}

/** The names of the columns, in the order of the values of an answer. The secret has no column. */
export const CODE_COLUMNS = ["issuer", "account", "code", "valid_until", "next_code", "period"] as const;

/** Returns the request for the codes of a secret or a setup link. */
export function codesRequest([input = ""]: readonly string[]): object {
  return isSetupLink(input) ? { key_uri: input } : { secret: input };
}

/**
 * Returns the answer with the codes of an input. `valid_until` is the end of the time step on the clock of the browser. That clock
 * is taken for right if the `Date` of the response, which has whole seconds, does not contradict it.
 */
export function codesAnswer({ otp_codes, period }: CodesResult, received: Received): Answer {
  const { inputs, date, sentAt, receivedAt } = received;
  const measured = narrowOffset(undefined, { date, sentAt, receivedAt });
  const isRight = measured === undefined || (measured.least <= 0 && measured.most >= 0);
  const offset = isRight ? { least: 0, most: 0 } : measured;
  const { step } = stepPosition(offset, (sentAt + receivedAt) / 2, period);
  const end = (step + 1) * period * 1_000 - (offset.least + offset.most) / 2;
  const { issuer = "", label = "" } = splitKeyUri(inputs[0] ?? "") ?? {};
  return {
    kind: "code",
    values: [issuer, label, otp_codes.current, new Date(end).toISOString(), otp_codes["+30s"], period],
    error: "",
  };
}

/**
 * Returns the code of an answer at a time on the clock of the browser, in milliseconds since 1970: the current one, then the next
 * one, with the whole seconds until it changes. Returns undefined after that.
 */
export function codeAt({ values }: Answer, now: number): { code: string; secondsLeft: number } | undefined {
  const [, , code = "", , next = "", period] = values;
  const left = (endOf(values) - now) / 1_000;
  const secondsLeft = left > 0 ? left : left + Number(period);
  return secondsLeft > 0
    ? { code: String(left > 0 ? code : next), secondsLeft: Math.ceil(secondsLeft) }
    : undefined;
}

/**
 * How long the codes of an answer count as current after their time step, in milliseconds. Until then the next code is shown; later,
 * the `Date` of a response is clearly of the new step.
 */
const GRACE = 2_000;

/** Whether the codes of an answer need not be fetched again. */
export function isCurrent({ values }: Answer, now: number): boolean {
  return values.length === 0 || now < endOf(values) + GRACE;
}

/** What is known of the codes of a list. */
export interface CodesOverview {
  /** When the first of them are out of date, in milliseconds since 1970; undefined without a code. */
  readonly dueAt: number | undefined;
  readonly count: number;
}

/** Returns when the first codes of a list are out of date. */
export function codesOverview(answers: readonly (Answer | undefined)[]): CodesOverview {
  const ends = answers.flatMap((answer) => (answer?.kind === "code" ? [endOf(answer.values)] : []));
  const first = ends.reduce((least, end) => Math.min(least, end), Number.POSITIVE_INFINITY);
  return { dueAt: ends.length === 0 ? undefined : first + GRACE, count: ends.length };
}

function endOf(values: Answer["values"]): number {
  return Date.parse(String(values[3]));
}

/** Replaces each link of an export of Google Authenticator by the setup links of its accounts. A link that is damaged stays. */
export function expandExports(text: string): string {
  return text.replaceAll(/^.*otpauth-migration:.*$/gim, (line) => {
    const read = isOtpExport(line) ? readOtpExport(line) : undefined;
    return read?.ok
      ? read.value.accounts.map((account) => (account.ok ? account.value.uri : line)).join("\n")
      : line;
  });
}
