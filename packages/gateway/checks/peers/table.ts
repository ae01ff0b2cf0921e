import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A request of a table, and what the upstream does with it. */
export interface TableCase {
  /** The full name of the method. */
  readonly method: string;
  readonly line: string;
  readonly httpMethod: string;
  readonly target: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The response messages. Empty: those of the request, or an empty one. */
  readonly respond: readonly JsonValue[];
  /** The google.rpc.Status with which the call fails. */
  readonly fail: JsonValue | undefined;
  /** How long the upstream waits, in milliseconds. */
  readonly sleep: string;
  /** The right answer: its status, and parts of it, or undefined if only other programs tell. */
  readonly right: { readonly status: number; readonly parts: JsonObject } | undefined;
}

/**
 * Reads a table. `rpc` begins the requests of a method, which returns the messages of its `respond` lines or the status of a `fail` line.
 * `header` and `sleep` apply to all requests that follow. A final `?` makes the same request a second time. After ` => ` follows the right
 * answer: the message that the upstream receives, or a status, followed by parts of the answer if there are any.
 */
export function readTable(name: string): TableCase[] {
  const cases: TableCase[] = [];
  const headers: Record<string, string> = {};
  let prefix = "";
  let method = "";
  let respond: JsonValue[] = [];
  let fail: JsonValue | undefined;
  let sleep = "0";
  for (const whole of readFileSync(join(import.meta.dirname, `${name}.txt`), "utf8").split("\n")) {
    const [line = "", answer] = whole.split(" => ");
    const [, word = "", rest = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    if (word === "package") {
      prefix = `${rest}.`;
    } else if (word === "rpc") {
      method = prefix + rest.split(" ", 1);
      respond = [];
      fail = undefined;
    } else if (word === "header") {
      const [key = "", value = ""] = rest.split(/: ?/);
      headers[key] = value;
    } else if (word === "sleep") {
      sleep = rest;
    } else if (word === "respond") {
      respond = [...respond, JSON.parse(rest)];
    } else if (word === "fail") {
      fail = JSON.parse(rest);
    } else if (word !== "" && word !== "#") {
      const [, target = "", body] = /^(\S+)(?: (.*))?$/.exec(rest) ?? [];
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
      const call = { method, line, httpMethod: word, target, body, headers: given, respond, fail, sleep };
      cases.push({ ...call, right: answer === undefined ? undefined : rightAnswer(answer) });
    }
  }
  return cases;
}

function rightAnswer(text: string): TableCase["right"] {
  const [, status, json = "{}"] = /^(\d{3})?\s*(.*)$/.exec(text) ?? [];
  const value = JSON.parse(json || "{}");
  return status === undefined
    ? { status: 200, parts: { received: [value] } }
    : { status: Number(status), parts: value };
}
