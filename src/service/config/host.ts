import { isIP } from "node:net";

/** The longest name that the DNS has, as text (https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4). */
const MAX_NAME_LENGTH = 253;

/** A label of a name; underscores are for the names that container networks give. */
const LABEL = /^(?!-)[a-z\d_-]{1,63}(?<!-)$/i;

/** What a name cannot end in, for it would be read as an IPv4 address (https://url.spec.whatwg.org/#ends-in-a-number-checker). */
const NUMERIC_LABEL = /^(?:\d+|0x[\da-f]*)$/i;

/** Whether a text is an IPv4 or IPv6 address, without brackets, or a host name in ASCII. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || isHostName(text);
}

/** Whether a text is a host name (https://www.rfc-editor.org/rfc/rfc1123#section-2.1), with or without a final dot. */
function isHostName(text: string): boolean {
  const name = text.replace(/\.$/, "");
  const labels = name.split(".");
  return (
    name.length <= MAX_NAME_LENGTH &&
    labels.every((label) => LABEL.test(label)) &&
    !NUMERIC_LABEL.test(labels.at(-1) ?? "")
  );
}
