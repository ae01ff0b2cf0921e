import type { HeaderList, HeaderSection } from "../../request.js";
import type { HeaderBlock } from "../hpack/header-block.js";

/** A received header or trailer section. */
export class Section implements HeaderSection {
  constructor(readonly list: HeaderList) {}

  /** RFC 9110, section 5.3; RFC 9113, section 8.2.3. */
  get(name: string): string | undefined {
    const { list } = this;
    let value: string | undefined;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === name) {
        const next = list[i + 1] as string;
        value = value === undefined ? next : `${value}${name === "cookie" ? "; " : ", "}${next}`;
      }
    }
    return value;
  }
}

/** The trailer section with this block; undefined if it is malformed: it must not have a pseudo-header (RFC 9113, section 8.1). */
export function readTrailers(block: HeaderBlock): HeaderSection | undefined {
  return block.isMalformed || block.pseudoCount > 0 ? undefined : new Section(block.list);
}
