import { type Case, readCaseOptions, runCases } from "connect-transcoding-testing/cases.js";
import { short } from "connect-transcoding-testing/differences.js";
import { compareReadings } from "./http1/compare.js";
import { KNOWN } from "./http1/known.js";
import { readBy } from "./http1/readings.js";
import { anyRequests } from "./http1/requests.js";
import { startOurs, startProxy } from "./http1/servers.js";

// Sends mutated HTTP/1.1 requests to our server and to nginx, and compares what they read.

/** The time without any event after which a server waits for more bytes, in milliseconds, and when a case runs again. */
const QUIET_TIME = 250;
const LONG_QUIET_TIME = 5_000;

const options = readCaseOptions("differential/http1", 100_000);
const [ours, nginx] = await Promise.all([startOurs(), startProxy()]);

async function compare({ random, isAlone, isAgain, count }: Case): Promise<string[]> {
  const { bytes, labels } = anyRequests(random);
  const quietTime = isAgain ? LONG_QUIET_TIME : QUIET_TIME;
  const [own, other] = await Promise.all([readBy(ours, bytes, quietTime), readBy(nginx, bytes, quietTime)]);
  const text = bytes.toString("latin1");
  if (isAlone) {
    console.log(
      [JSON.stringify(text), ...[own, other].map((each) => JSON.stringify(each, shown, 1))].join("\n"),
    );
  }
  const problems = compareReadings(own, other).flatMap(({ path, request, ours, theirs }) => {
    const known = request && path === "rejected" && KNOWN.find(({ matches }) => matches(request, text));
    if (known) {
      count("on purpose", known.why);
      return [];
    }
    return [`DIFFERENCE ${path}: ours ${short(ours)}, nginx's ${short(theirs)}`];
  });
  return problems.length === 0 ? [] : [...problems, labels.join("; "), short(text, 1500)];
}

function shown(key: string, value: unknown): unknown {
  return key === "body" ? Buffer.concat(value as Buffer[]).toString("latin1") : value;
}

// nginx ends when this process exits.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(1));
}
await runCases(options, { run: compare, workers: 64, workersAgain: 16 });
await Promise.all([ours.close(), nginx.close()]);
process.exit();
