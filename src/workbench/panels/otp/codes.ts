import type { OtpCodes } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import type { Received } from "../../list/work/work-tool.js";
import type { Plain } from "../../schema/method.js";

/** The codes that a typed one can equal, the most likely one first. */
const NAMES = ["current", "previous", "next", "secondPrevious"] as const;

/** What a typed code is: one of the codes, not a code at all, or not one of them. */
export type Verdict = (typeof NAMES)[number] | "malformed" | "tooLong" | "none";

/**
 * Compares a typed code with the codes of an account, ignoring white space. Returns undefined while the code is not complete, and
 * without codes.
 */
export function matchCode(codes: Plain<OtpCodes> | undefined, typed: string): Verdict | undefined {
  const code = typed.replaceAll(/\s/g, "").toUpperCase();
  if ((isSteam(codes) ? /[^\dA-Z]/ : /\D/).test(code)) {
    return "malformed";
  }
  if (codes === undefined || code.length < codes.current.length) {
    return undefined;
  }
  return code.length > codes.current.length
    ? "tooLong"
    : (NAMES.find((name) => codes[name] === code) ?? "none");
}

/** Whether codes are those of Steam, which have letters. */
export function isSteam(codes: Plain<OtpCodes> | undefined): boolean {
  return codes?.current.length === 5;
}

/**
 * The difference between the clocks of the service and of the page (`performance.now()`): between `least` and `most`
 * milliseconds. The time of day in the browser is not used, because it may be wrong.
 */
export interface ClockOffset {
  readonly least: number;
  readonly most: number;
}

/** `Date` has whole seconds. Servers cache its text for a second, with a timer that may be late. */
const SECOND = 1000;
const LATENESS = 50;

/**
 * Narrows the known clock offset by another response. The server took the time of its `Date` between `sentAt` and
 * `receivedAt`; responses at different fractions of a second narrow the offset. If a response contradicts the known offset, the
 * server's clock was set, and the response replaces it. Returns `known` if the response has no valid `Date`.
 * `sentAt` and `receivedAt` are the times of request and response in milliseconds of `performance.now()`.
 * https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1
 */
export function narrowOffset(
  known: ClockOffset | undefined,
  { date: text, sentAt, receivedAt }: Pick<Received, "date" | "sentAt" | "receivedAt">,
): ClockOffset | undefined {
  const date = Date.parse(text ?? "");
  if (Number.isNaN(date)) {
    return known;
  }
  const measured = { least: date - receivedAt, most: date + SECOND + LATENESS - sentAt };
  const least = Math.max(known?.least ?? measured.least, measured.least);
  const most = Math.min(known?.most ?? measured.most, measured.most);
  return least <= most ? { least, most } : measured;
}

/**
 * Returns the time step (RFC 6238, section 4) of the service at `now` on the clock of the page, and the whole seconds until the next
 * one, 1 to `period`.
 */
export function stepPosition({ least, most }: ClockOffset, now: number, period: number) {
  const seconds = (now + (least + most) / 2) / 1000;
  const step = Math.floor(seconds / period);
  return { step, secondsLeft: Math.max(1, Math.ceil((step + 1) * period - seconds)) };
}

/**
 * Returns the time step of the codes in a response. If two steps are possible, returns the earlier one: the codes are then
 * fetched again instead of being shown for too long.
 */
export function stepOfResponse({ least }: ClockOffset, sentAt: number, period: number): number {
  return Math.floor((sentAt + least) / 1000 / period);
}
