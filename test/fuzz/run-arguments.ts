import { parseArgs } from "node:util";
import { createRandom, type Random } from "./random.js";

/** Which requests a run sends: those of a seed, from an index on. */
export interface RunArguments {
  readonly count: number;
  readonly from: number;
  readonly seed: number;
}

/** Reads `--count`, `--from` and `--seed` from the command line, and tells of them. Throws an Error for what is no integer. */
export function readRunArguments(): RunArguments {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "1000000" },
      from: { type: "string", default: "0" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
    },
  });
  const [count, from, seed] = [Number(values.count), Number(values.from), Number(values.seed)];
  if (![count, from, seed].every(Number.isSafeInteger)) {
    throw new Error("--count, --from and --seed must be integers");
  }
  console.log(`seed ${seed}, ${count} requests`);
  return { count, from, seed };
}

/** What decides about the request at an index, whichever requests come before it. */
export function randomAt(seed: number, index: number): Random {
  return createRandom(seed + Math.imul(index, 0x9e3779b1));
}
