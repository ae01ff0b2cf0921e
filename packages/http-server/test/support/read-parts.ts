import type { ServerRequest } from "../../src/request.js";

export interface ReadParts {
  /** The parts so far, in ISO 8859-1. */
  readonly parts: string[];
  isTaken(): boolean;
}

/** Takes each part of a body as soon as it has arrived. Calls `onEnd` once the whole body has been taken. */
export function readParts(of: ServerRequest, onEnd: (text: string) => void = () => {}): ReadParts {
  const parts: string[] = [];
  let isOver = false;
  const take = (): void => {
    const part = reader.take();
    if (part !== undefined) {
      parts.push(Buffer.from(part).toString("latin1"));
    }
    if (reader.isTaken && !isOver) {
      isOver = true;
      onEnd(parts.join(""));
    }
  };
  const reader = of.openBody(take);
  take();
  return { parts, isTaken: () => reader.isTaken };
}
