import type { InputItem, Line } from "./lines.js";

/** The fields of a new secret that a command can read again. The first one also has digits, algorithm and period. */
const READABLE = ["otp_url", "uri", "secret"] as const;

/** A field of a new secret, as the commands that create one write it: the name, a tab and the value. */
const FIELD = /^(algorithm|counter|digits|issuer|label|otp_url|period|qrcode_url|secret|type)\t(.*)$/;

/**
 * Creates a reader of lines with secrets that also reads what the commands write which create or import them: a line per field, or a line
 * of JSON. One secret is taken from each record. All other lines are inputs themselves.
 */
export function createSecretReader(): (line: Line) => InputItem[] {
  /** The names of the fields of the current record. */
  const seen = new Set<string>();
  return (line) => {
    const [, name = "", value = ""] = FIELD.exec(line.text) ?? [];
    if (name === "" || seen.has(name)) {
      seen.clear();
    }
    if (name === "") {
      return [{ ...line, text: secretInJson(line.text) ?? line.text }];
    }
    const isTaken = READABLE.some((each) => seen.has(each));
    seen.add(name);
    return !isTaken && READABLE.some((each) => each === name) ? [{ text: value }] : [];
  };
}

/** Returns the secret of a text with one record; a text with no record, or with several, as it is. */
export function secretInRecord(text: string): string {
  const read = createSecretReader();
  const [only, ...others] = text.split(/\r?\n/).flatMap((line) => read({ text: line }));
  return only === undefined || others.length > 0 ? text : only.text;
}

function secretInJson(text: string): string | undefined {
  if (!text.startsWith("{")) {
    return undefined;
  }
  try {
    const record: Readonly<Record<string, unknown>> = JSON.parse(text);
    return READABLE.map((name) => record[name]).find((value) => typeof value === "string");
  } catch {
    return undefined;
  }
}
