/** Styles text, or returns it unchanged. */
export interface Style {
  readonly hasColors: boolean;
  bold(text: string): string;
  dim(text: string): string;
  alert(text: string): string;
}

/**
 * Whether a stream gets colors. A terminal does, unless NO_COLOR is set or TERM is `dumb`. FORCE_COLOR overrides this: `0` and
 * `false` disable colors, every other value enables them.
 * https://no-color.org, https://force-color.org
 */
export function usesColors(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { FORCE_COLOR: force = "", NO_COLOR: no = "", TERM: terminal } = env;
  if (force !== "") {
    return force !== "0" && force !== "false";
  }
  return isTerminal && no === "" && terminal !== "dumb";
}

/** Creates a style of escape sequences that every terminal supports (ECMA-48, SGR). */
export function createStyle(hasColors: boolean): Style {
  const sgr = (on: number, off: number) => (text: string) =>
    hasColors && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return { hasColors, bold: sgr(1, 22), dim: sgr(2, 22), alert: sgr(31, 39) };
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\p{Regional_Indicator}/u;

/** Replaces control and bidirectional formatting characters, so that a text stays on one line and cannot control a terminal. */
export function displayText(text: string): string {
  return text.replace(CONTROL, "\ufffd");
}

/**
 * The columns of a text on a terminal. Wide East Asian characters and emoji take two.
 * https://www.unicode.org/reports/tr11/
 */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) {
    return text.length;
  }
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    width += WIDE.test(segment) ? 2 : 1;
  }
  return width;
}

/** Cuts a text to a number of columns. An ellipsis marks the cut. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) {
    return text;
  }
  let cut = "";
  for (const { segment } of GRAPHEMES.segment(text)) {
    if (displayWidth(cut) + displayWidth(segment) > width - 1) {
      break;
    }
    cut += segment;
  }
  return `${cut}…`;
}

/** Pads a text with spaces to a number of columns. */
export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/** The modules of a QR code: dark or light. Outside the square all are light. */
export interface QrModules {
  readonly size: number;
  get(x: number, y: number): boolean;
}

/** Light modules around the code. Two are enough on a screen; the four of the standard would cost lines. */
const QUIET_ZONE = 2;

/** The columns of a drawn QR code. */
export function qrCodeWidth({ size }: QrModules): number {
  return size + 2 * QUIET_ZONE;
}

/**
 * Draws a QR code with half blocks: each character has two modules, one above the other. With colors it is black on white on
 * every terminal; without, the light modules are drawn, because most terminals are dark.
 */
export function drawQrCode(code: QrModules, hasColors: boolean): string[] {
  const lines: string[] = [];
  for (let y = -QUIET_ZONE; y < code.size + QUIET_ZONE; y += 2) {
    let line = "";
    for (let x = -QUIET_ZONE; x < code.size + QUIET_ZONE; x++) {
      const isLowerOutside = y + 1 >= code.size + QUIET_ZONE;
      const [upper, lower] = [!code.get(x, y), !code.get(x, y + 1) && !isLowerOutside];
      line += upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }
    lines.push(hasColors ? `\u001b[97;40m${line}\u001b[0m` : line);
  }
  return lines;
}

/** Shows the progress of many inputs on a terminal. */
export interface Progress {
  /** Called when `count` inputs are done and `bytes` bytes of the input have been read. */
  update(count: number, bytes: number): void;
  /** Removes the line, so that something else can be written. */
  clear(): void;
}

export interface ProgressOptions {
  readonly write: (text: string) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The length of the input in bytes; undefined: unknown. */
  readonly size: number | undefined;
  /** Columns of the terminal. */
  readonly width: number;
  readonly style: Style;
}

/** Milliseconds before the progress is shown, and between updates. */
const SHOW_AFTER = 500;
const INTERVAL = 100;
const ERASE_LINE = "\r\u001b[2K";
const BAR_WIDTH = 24;

/** Creates a progress on one line: count and rate, with a bar and per cent if the size is known. */
export function createProgress({ write, now, size, width, style }: ProgressOptions): Progress {
  const started = now();
  const line = createStatusLine(write, now, SHOW_AFTER);
  return {
    update(count, bytes) {
      line.update((time) => {
        const text = progressText(
          count,
          (count * 1000) / (time - started),
          size && Math.min(1, bytes / size),
        );
        return style.dim(text.slice(0, width - 1));
      });
    },
    clear: line.clear,
  };
}

/** A line of a terminal that changes. */
export interface StatusLine {
  /** Shows a text, unless the last one was shown only just. `textAt` is called with the time if it is shown. */
  update(textAt: (time: number) => string): void;
  /** Removes the line, so that something else can be written. */
  clear(): void;
}

/**
 * Creates a line that is shown some milliseconds after its creation, and changes ten times a second at most.
 *
 * @param now returns milliseconds of a monotonic clock
 */
export function createStatusLine(
  write: (text: string) => void,
  now: () => number,
  showAfter: number,
): StatusLine {
  let shownAt = now() + showAfter - INTERVAL;
  let isShown = false;
  return {
    update(textAt) {
      const time = now();
      if (time - shownAt >= INTERVAL) {
        shownAt = time;
        isShown = true;
        write(ERASE_LINE + textAt(time));
      }
    },
    clear() {
      if (isShown) {
        write(ERASE_LINE);
        isShown = false;
      }
    },
  };
}

/** @param done the part of the input that has been read, from 0 to 1 */
function progressText(count: number, rate: number, done: number | undefined): string {
  const numbers = `${count.toLocaleString("en")} done, ${Math.round(rate).toLocaleString("en")}/s`;
  if (done === undefined) {
    return numbers;
  }
  const filled = Math.round(done * BAR_WIDTH);
  const percent = `${Math.floor(done * 100)}`.padStart(3);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${percent} %  ${numbers}`;
}
