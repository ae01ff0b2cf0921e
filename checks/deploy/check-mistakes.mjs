import { check } from "connect-transcoding-testing/checks.mjs";

/**
 * Checks that a text has no problems, and that changes of it cause them.
 *
 * @param mistakes a string or pattern, its replacement, and a pattern of a problem that this must cause
 */
export function checkMistakes(name, text, mistakes, problemsOf) {
  const problems = problemsOf(text);
  check(`${name} is valid`, problems.length === 0, problems);
  for (const [from, to, problem] of mistakes) {
    const changed = text.replace(from, to);
    const found = changed === text ? ["nothing has changed"] : problemsOf(changed);
    const isFound = found.some((each) => problem.test(each));
    check(`found: ${problem.source}`, isFound, found);
  }
}
