import type { ContentKind, Values } from "./contents.js";

/** How many characters of a content are in the name of its file. */
const MAX_LENGTH = 40;

/** The inputs that name a content. Never a password. */
const NAMES = ["ssid", "first", "last", "organization", "to", "subject", "latitude", "longitude", "text"];

/**
 * Returns the name of the file of a code, without its extension: `wifi-guest` for the network “Guest”.
 *
 * @param isSecret whether the content may be a secret, of which the name says nothing
 */
export function codeFileName(
  kind: Pick<ContentKind, "id" | "inputs">,
  values: Values,
  isSecret: boolean,
): string {
  const link = (values.url ?? "").replace(/^[a-z+]+:\/*/i, "").replace(/^www\./, "");
  const texts =
    kind.id === "link" ? [link] : kind.inputs.map(({ name }) => (NAMES.includes(name) ? values[name] : ""));
  const slug = (isSecret ? "" : texts.join(" "))
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-/, "");
  const short = Array.from(slug).slice(0, MAX_LENGTH).join("").replace(/-$/, "");
  return [kind.id, short].filter(Boolean).join("-");
}
