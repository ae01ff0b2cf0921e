import { existsSync, readFileSync } from "node:fs";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";

/**
 * Cases of which some are known to fail. Each line of the file, if there is one, is the name of such a case, ` # ` and the reason. A listed
 * case that passes or does not exist fails the suite, as an unlisted case does that fails.
 */
export function knownFailures(file) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const reasons = new Map(
    lines.filter((line) => /^[^#].* # /.test(line)).map((line) => line.split(/ # (?=[^#]*$)/)),
  );
  const found = new Set();
  let known = 0;
  let skipped = 0;
  return {
    /** Checks that a case holds, or fails as it is known to. */
    checkCase(name, holds, details) {
      const reason = reasons.get(name);
      found.add(name);
      if (reason === undefined) {
        check(name, holds, details);
      } else if (holds) {
        check(`${name}: passes, but is listed as a known failure: ${reason}`, false);
      } else {
        known++;
        console.log(`known ${name}: ${reason}`);
      }
    },
    skip(name, reason) {
      skipped++;
      console.log(`skip ${name}: ${reason}`);
    },
    /** Prints the summary. With `isComplete`, known failures that have not run fail the suite. */
    conclude(isComplete = true) {
      for (const name of isComplete ? reasons.keys() : []) {
        if (!found.has(name)) {
          check(`${name}: is listed as a known failure, but there is no such case`, false);
        }
      }
      console.log(`${known} known failures, ${skipped} skipped`);
      conclude();
    },
  };
}
