import type { HeaderBlock } from "../hpack/header-block.js";
import { Section } from "../streams/section.js";

/** The header section of a response. */
export class ResponseHead extends Section {
  readonly status: number;

  constructor({ list }: HeaderBlock, status: number) {
    super(list.slice(2));
    this.status = status;
  }
}

const STATUS = /^[1-5]\d\d$/;

/** The head with a header block; undefined if it is malformed (RFC 9113, section 8.3.2). */
export function readResponseHead(block: HeaderBlock): ResponseHead | undefined {
  const [, , , , status] = block.special;
  const isValid =
    status !== undefined && STATUS.test(status) && block.pseudoCount === 1 && !block.isMalformed;
  return isValid ? new ResponseHead(block, Number(status)) : undefined;
}
