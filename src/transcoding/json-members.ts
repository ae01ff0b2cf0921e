/**
 * The name of a member that some object of a JSON text has twice; undefined where there is none. JSON.parse keeps the
 * last of them without a word, where RFC 8259 (section 4) calls the outcome unpredictable. `json` must be valid JSON.
 */
export function duplicateMember(json: string): string | undefined {
  // The names in each object around the current place, once there are some; undefined for an array.
  const around: (Set<string> | "no names yet" | undefined)[] = [];
  let nameComesNext = false;
  // Strings, brackets and commas are all that matters to tell the names of members from values.
  for (let index = 0; index < json.length; index++) {
    switch (json[index]) {
      case "{":
        around.push("no names yet");
        nameComesNext = true;
        break;
      case "[":
        around.push(undefined);
        nameComesNext = false;
        break;
      case "}":
      case "]":
        around.pop();
        nameComesNext = false;
        break;
      case ",":
        nameComesNext = around.at(-1) !== undefined;
        break;
      case '"': {
        const end = closingQuote(json, index);
        if (nameComesNext) {
          nameComesNext = false;
          const name: string = JSON.parse(json.slice(index, end + 1));
          const known = around.at(-1);
          const names = known instanceof Set ? known : new Set<string>();
          if (names.has(name)) {
            return name;
          }
          around[around.length - 1] = names.add(name);
        }
        index = end;
      }
    }
  }
  return undefined;
}

/** Where the string that opens at `start` closes. */
function closingQuote(json: string, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== '"') {
    index += json[index] === "\\" ? 2 : 1;
  }
  return index;
}
