import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "../../lib/checks.mjs";
import { runAsync, serve } from "../service.mjs";
import { python } from "./clients.mjs";
import { LATE, rawCases } from "./raw-cases.mjs";
import { eachService } from "./service.mjs";

// `raw.py CASES CERTIFICATE` sends the bytes of each case on a connection, and prints a line of JSON with what it received until the end of
// the connection.

/** Tries sockets, in cleartext and over TLS. */
export async function tryRaw(context) {
  const [program] = python() ?? [];
  if (program === undefined) {
    return;
  }
  const cases = Object.entries(rawCases(context.lookup)).map(([name, each]) => ({ name, ...each }));
  await eachService(context, async (transport, service, library, files) => {
    const ofService = cases.filter((each) => each.service !== "library");
    await sendCases(`raw, ${transport}`, program, ofService, service, files, context);
    if (files === undefined) {
      const ofLibrary = cases.filter((each) => each.service === "library");
      await sendCases(`raw, ${transport}`, program, ofLibrary, library, files, context);
    }
  });
  const hurried = await serve(undefined, { HEADERS_TIMEOUT: "1s", REQUEST_TIMEOUT: "1s" });
  const late = Object.entries(LATE).map(([name, each]) => ({ name, ...each }));
  await sendCases("raw, cleartext", program, late, hurried, undefined, context);
  await hurried.stop();
}

async function sendCases(name, program, cases, service, files, { folder }) {
  const path = join(folder, "raw.json");
  const { hostname, port } = new URL(service.url);
  const sent = cases.map(({ send, steps = [{ send }], half_close, split, name }) => {
    return { name, host: hostname, port: Number(port), steps, half_close, split };
  });
  writeFileSync(path, JSON.stringify(sent));
  const script = join(import.meta.dirname, "python", "raw.py");
  const { stdout, stderr, status } = await runAsync(program, [script, path, files?.cert ?? ""]);
  check(`${name}: all bytes are sent`, status === 0, stderr);
  const lines = stdout.split("\n").filter((line) => line !== "");
  for (const [index, { name: what, expected, methods = [], mayContinue }] of cases.entries()) {
    const { received, problem } = JSON.parse(lines[index] ?? `{"received":"","problem":"no result"}`);
    const found = responsesIn(received, methods).filter(({ status }) => !(mayContinue && status === 100));
    const isRight =
      found.length === expected.length && expected.every((each, number) => matches(found[number], each));
    check(`${name}: ${what}`, problem === "" && isRight, `${problem} ${JSON.stringify(found).slice(0, 600)}`);
  }
}

function matches(found, expected) {
  return Object.entries(expected).every(([field, value]) =>
    value instanceof RegExp ? value.test(found[field]) : found[field] === value,
  );
}

/**
 * Reads responses (RFC 9112, section 6.3): their version, status, body, trailers, the code of a JSON error, and header fields. What is not
 * a response, or not complete, is the `problem` of the last one.
 *
 * @param methods of the requests; GET if there are fewer
 */
function responsesIn(received, methods) {
  const found = [];
  let rest = received;
  let requests = 0;
  while (rest !== "") {
    const [all, version, status, lines] =
      /^HTTP\/(\S+) (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? [];
    if (all === undefined) {
      return [...found, { problem: rest }];
    }
    const fields = [...lines.matchAll(/^([^:\r\n]+): *([^\r\n]*)\r$/gm)];
    const headers = Object.fromEntries(fields.map(([, name, value]) => [name.toLowerCase(), value]));
    const response = { version, status: Number(status), ...headers };
    const isInterim = response.status < 200;
    const method = methods[requests] ?? "GET";
    const {
      body,
      trailers,
      rest: left,
    } = isInterim || response.status === 204 || method === "HEAD"
      ? { body: "", rest: rest.slice(all.length) }
      : bodyIn(rest.slice(all.length), headers);
    rest = left;
    requests += isInterim ? 0 : 1;
    const isJson = headers["content-type"]?.startsWith("application/json") && body.startsWith('{"error":');
    found.push({ ...response, body, trailers, error: isJson ? JSON.parse(body).error.code : undefined });
  }
  return found;
}

function bodyIn(text, headers) {
  if (headers["transfer-encoding"] === "chunked") {
    return chunksIn(text);
  }
  const length = Number(headers["content-length"] ?? text.length);
  return { body: text.slice(0, length), rest: text.slice(length) };
}

function chunksIn(text) {
  let body = "";
  let rest = text;
  for (;;) {
    const [line, digits] = /^([0-9a-f]+)\r\n/i.exec(rest) ?? [];
    if (line === undefined) {
      return { body: `${body} and no chunk`, rest: "" };
    }
    rest = rest.slice(line.length);
    const size = Number.parseInt(digits, 16);
    if (size === 0) {
      const end = rest.startsWith("\r\n") ? 0 : rest.indexOf("\r\n\r\n") + 2;
      return { body, trailers: rest.slice(0, end).trimEnd(), rest: rest.slice(end + 2) };
    }
    body += rest.slice(0, size);
    rest = rest.slice(size + 2);
  }
}
