/**
 * What has to be added to the page's clock to have the service's: no less than `least` and no more than `most`, in
 * milliseconds. A browser's own idea of the time of day takes no part in it.
 */
export interface ClockOffset {
  readonly least: number;
  readonly most: number;
}

/** When an answer came, on a clock that does not go back, and the `Date` that it had. */
export interface DatedAnswer {
  readonly date: string | null;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** `Date` has whole seconds, and servers keep its text for as long as a second lasts by a timer that may be late. */
const SECOND = 1000;
const LATENESS = 50;

/**
 * What one more answer tells of the service's clock. The time that it names was between its sending and its receipt; each
 * answer at another moment of a second narrows that down. What cannot be true together with what was known is believed, for
 * then the service's clock was set. Without a `Date` all stays as it is.
 * https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1
 */
export function narrowOffset(known: ClockOffset | undefined, answer: DatedAnswer): ClockOffset | undefined {
  const date = Date.parse(answer.date ?? "");
  if (Number.isNaN(date)) {
    return known;
  }
  const told = { least: date - answer.receivedAt, most: date + SECOND + LATENESS - answer.sentAt };
  const least = Math.max(known?.least ?? told.least, told.least);
  const most = Math.min(known?.most ?? told.most, told.most);
  return least <= most ? { least, most } : told;
}

/** A moment in time steps: which one it is in, and the whole seconds that are left of it, 1 to `period`. */
export interface StepMoment {
  readonly step: number;
  readonly secondsLeft: number;
}

/** Where in the steps of `period` seconds (RFC 6238, section 4) the service is at `now` on the page's clock. */
export function stepMoment({ least, most }: ClockOffset, now: number, period: number): StepMoment {
  const seconds = (now + (least + most) / 2) / 1000;
  const step = Math.floor(seconds / period);
  return { step, secondsLeft: Math.max(1, Math.ceil((step + 1) * period - seconds)) };
}

/**
 * The step that the codes of an answer are of, or one before it: where it is not certain which, the earlier one, so that they
 * are asked for again rather than kept for too long.
 */
export function answeredStep({ least }: ClockOffset, sentAt: number, period: number): number {
  return Math.floor((sentAt + least) / 1000 / period);
}
