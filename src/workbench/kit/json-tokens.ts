/** A piece of JSON text, and what it is. */
export interface JsonToken {
  readonly kind: "name" | "string" | "number" | "word" | "other";
  readonly text: string;
}

/** A string, with the colon behind it where it is a name; a number; a word; a run of anything else. */
const TOKEN =
  /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|[^"\d\w-]+|./g;

/** Takes JSON text apart, for colours; the tokens' texts together are the text. */
export function jsonTokens(json: string): JsonToken[] {
  return [...json.matchAll(TOKEN)].flatMap(([text, string, colon, number, word]): JsonToken[] => {
    if (string !== undefined) {
      return colon === undefined
        ? [{ kind: "string", text: string }]
        : [
            { kind: "name", text: string },
            { kind: "other", text: colon },
          ];
    }
    return [{ kind: number !== undefined ? "number" : word !== undefined ? "word" : "other", text }];
  });
}
