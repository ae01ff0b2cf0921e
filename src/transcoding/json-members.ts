/**
 * The name of a member that the outermost object of a JSON text has twice; undefined where there is none.
 * JSON.parse keeps the last of them without a word, where RFC 8259 (section 4) calls the outcome unpredictable.
 * `json` must be valid JSON.
 */
export function duplicateMember(json: string): string | undefined {
  const names = new Set<string>();
  // Strings, brackets and the commas between members are all that matters to follow the nesting.
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]/gsu;
  let depth = 0;
  let nameComesNext = false;
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") {
      depth += 1;
      nameComesNext = depth === 1 && token === "{";
    } else if (token === "}" || token === "]") {
      depth -= 1;
    } else if (token === ",") {
      nameComesNext = depth === 1 && names.size > 0;
    } else if (nameComesNext) {
      nameComesNext = false;
      const name: string = JSON.parse(token);
      if (names.has(name)) {
        return name;
      }
      names.add(name);
    }
  }
  return undefined;
}
