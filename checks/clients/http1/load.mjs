import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "../../lib/checks.mjs";
import { hasDebian, runAsync } from "../service.mjs";
import { EMAIL, eachService, LOOKUP } from "./service.mjs";

const REQUESTS = 3_000;

/** Tries ab, a client of HTTP/1.0. */
export async function tryAb(context) {
  if (!hasDebian("ab", "apache2-utils")) {
    return;
  }
  const email = join(context.folder, "email.json");
  writeFileSync(email, EMAIL);
  const post = ["-p", email, "-T", "application/json"];
  await eachService(context, async (transport, { url }) => {
    for (const [what, path, options] of [
      ["GET", LOOKUP, []],
      ["GET with keep-alive", LOOKUP, ["-k"]],
      ["HEAD with keep-alive", LOOKUP, ["-k", "-i"]],
      ["POST", "/v1/sanitizeEmail", post],
      ["POST with keep-alive", "/v1/sanitizeEmail", ["-k", ...post]],
    ]) {
      const { stdout, stderr } = await runAsync("ab", [
        "-q",
        "-n",
        REQUESTS,
        "-c",
        "20",
        ...options,
        url + path,
      ]);
      const count = (name) => Number(new RegExp(`^${name}: +(\\d+)`, "m").exec(stdout)?.[1] ?? 0);
      const found = [
        ...["Complete requests", "Failed requests", "Non-2xx responses", "Keep-Alive requests"].map(count),
      ].join(" ");
      const expected = `${REQUESTS} 0 0 ${options.includes("-k") ? REQUESTS : 0}`;
      check(`ab, ${transport}: ${what}`, found === expected, `${found} ${stdout} ${stderr}`);
    }
  });
}

/** What wrk sends, in Lua. */
const SCRIPTS = {
  GET: `request = function() return wrk.format("GET", "${LOOKUP}") end`,
  "Connection: close": `wrk.headers["connection"] = "close"; wrk.path = "${LOOKUP}"`,
  "16 requests at once": `
    init = function() all = string.rep(wrk.format("GET", "${LOOKUP}"), 16) end
    request = function() return all end`,
  "a chunked body": `
    request = function()
      return "POST /v1/sanitizeEmail HTTP/1.1\\r\\nHost: x\\r\\nContent-Type: application/json\\r\\n" ..
        "Transfer-Encoding: chunked\\r\\n\\r\\n${EMAIL.length.toString(16)}\\r\\n" .. [[${EMAIL}]] .. "\\r\\n0\\r\\n\\r\\n"
    end`,
};

/** Tries wrk. */
export async function tryWrk(context) {
  if (!hasDebian("wrk", "wrk")) {
    return;
  }
  const script = join(context.folder, "wrk.lua");
  const end = `
    done = function(summary, latency, requests)
      local errors = summary.errors
      io.write(string.format("%d read, %d failed\\n", summary.requests,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
    end`;
  await eachService(context, async (transport, { url }) => {
    for (const [what, request] of Object.entries(SCRIPTS)) {
      writeFileSync(script, request + end);
      const { stdout, stderr } = await runAsync("wrk", [
        "-t",
        "1",
        "-c",
        "16",
        "-d",
        "1s",
        "-s",
        script,
        url,
      ]);
      const [, read = "0", failed] = /^(\d+) read, (\d+) failed$/m.exec(stdout) ?? [];
      check(`wrk, ${transport}: ${what}`, Number(read) > 100 && failed === "0", stdout + stderr);
    }
  });
}
