import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { check } from "../../lib/checks.mjs";
import { hasPython } from "../programs.mjs";
import { runAsync } from "../service.mjs";
import { clientCases } from "./cases.mjs";
import { eachService, LOOKUP } from "./service.mjs";

/**
 * Tries Python's http.client in cleartext and over TLS. `client.py CASES CERTIFICATE` sends the requests of a file, and prints a line of
 * JSON for each case, with the status, or the message of an exception, and the body, the Content-Length, the transfer coding and the
 * number of connections. Bodies are in base64. Without TLS, the certificate is empty.
 */
export async function tryHttpClient(context) {
  if (hasPython()) {
    await eachService(context, (transport, service, library, files) =>
      sendCases(`http.client, ${transport}`, service.url, library.url, files, context),
    );
  }
}

/** Sends the requests of all cases, and checks each response. */
async function sendCases(name, service, library, files, { folder, lookup }) {
  const cases = clientCases(service, library, lookup);
  const sent = cases.map(({ expected: _, body, ...rest }) => {
    return { ...rest, ...(body !== undefined && { body: Buffer.from(body, "latin1").toString("base64") }) };
  });
  const path = join(folder, "cases");
  writeFileSync(path, JSON.stringify(sent));
  const { stdout, stderr, status } = await runAsync("python3", [
    join(import.meta.dirname, "client.py"),
    path,
    files?.cert ?? "",
  ]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  for (const [index, { name: what, expected }] of cases.entries()) {
    const found = JSON.parse(lines[index] ?? `{"status":"no result"}`);
    if (found.body !== undefined) {
      found.body = Buffer.from(found.body, "base64").toString("latin1");
    }
    check(`${name}: ${what}`, matches(found, expected), JSON.stringify(found).slice(0, 1_000));
  }
  check(
    `${name} has sent all requests`,
    status === 0 && lines.length === cases.length,
    `exit ${status} ${stderr}`,
  );
}

/** Whether all fields are as expected, or unknown to the client. The status is always known. */
function matches(found, expected) {
  return Object.entries(expected).every(([field, value]) =>
    value instanceof RegExp
      ? value.test(found[field])
      : (field !== "status" && found[field] === undefined) || isDeepStrictEqual(found[field], value),
  );
}

/** Resolves to the body of the response to {@link LOOKUP}. */
export async function lookUp(url) {
  const response = await fetch(url + LOOKUP);
  return response.text();
}
