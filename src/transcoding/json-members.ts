/**
 * The name of a member that some object of a JSON text has twice; undefined where there is none. JSON.parse keeps the
 * last of them without a word, where RFC 8259 (section 4) calls the outcome unpredictable. `json` must be valid JSON.
 */
export function duplicateMember(json: string): string | undefined {
  // Strings, brackets and commas are all that matters to tell the names of members from values.
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]/gsu;
  // The names in each object around the current place; undefined for an array.
  const around: (Set<string> | undefined)[] = [];
  let nameComesNext = false;
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") {
      around.push(token === "{" ? new Set() : undefined);
      nameComesNext = token === "{";
    } else if (token === "}" || token === "]") {
      around.pop();
      nameComesNext = false;
    } else if (token === ",") {
      nameComesNext = around.at(-1) !== undefined;
    } else if (nameComesNext) {
      nameComesNext = false;
      const names = around.at(-1);
      const name: string = JSON.parse(token);
      if (names?.has(name)) {
        return name;
      }
      names?.add(name);
    }
  }
  return undefined;
}
