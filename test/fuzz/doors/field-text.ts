import { isIP } from "node:net";
import { randomAddress, randomSecret } from "../../bench/samples.js";
import type { Random } from "../random.js";
import { anyValue } from "../texts.js";
import { MARKER } from "./door-request.js";

/** Text for a field: mostly right, where an example tells what that is; or the marker; or anything. */
export function fieldText(random: Random, name: string, examples: readonly string[]): string {
  if (random.oneIn(12)) {
    return MARKER;
  }
  if (random.oneIn(8)) {
    return anyValue(random);
  }
  const example = examples[random.below(examples.length)] ?? random.pick(["", "a", "FR", "8.8.8.8"]);
  if (isIP(example) !== 0) {
    return randomAddress(random);
  }
  if (name === "secret") {
    return randomSecret(random);
  }
  if (/^[a-z]{2,3}$/i.test(example)) {
    const letter = () => String.fromCharCode(65 + random.below(26));
    return random.oneIn(2) ? example : letter() + letter();
  }
  return random.oneIn(6) ? example.repeat(1 + random.size(300)) : example;
}
