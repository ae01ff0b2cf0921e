/** A square of modules, dark or light; outside it none is dark. */
export interface Modules {
  readonly size: number;
  get(x: number, y: number): boolean;
}

/** Light modules around the code: two are enough on a screen, where the four of the standard would cost lines. */
const QUIET_ZONE = 2;

/** The columns that a drawn code takes. */
export function terminalWidth({ size }: Modules): number {
  return size + 2 * QUIET_ZONE;
}

/**
 * Draws a QR code with half blocks, two modules above one another in each character. With colours it is black on white on
 * every terminal; without, the light modules are drawn, for most terminals are dark.
 */
export function terminalQrCode(code: Modules, isColoured: boolean): string[] {
  const lines: string[] = [];
  for (let y = -QUIET_ZONE; y < code.size + QUIET_ZONE; y += 2) {
    let line = "";
    for (let x = -QUIET_ZONE; x < code.size + QUIET_ZONE; x++) {
      const isLowerOutside = y + 1 >= code.size + QUIET_ZONE;
      const [upper, lower] = [!code.get(x, y), !code.get(x, y + 1) && !isLowerOutside];
      line += upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }
    lines.push(isColoured ? `\u001b[97;40m${line}\u001b[0m` : line);
  }
  return lines;
}
