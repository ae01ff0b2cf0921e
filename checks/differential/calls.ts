import { type Case, readCaseOptions, runCases } from "../lib/cases.js";
import { type AnyCall, anyCall, type Observation, observeCall, UNANSWERED } from "./calls/any-call.js";
import { KNOWN_IN_CALLS, KNOWN_IN_RAW } from "./calls/known.js";
import { anyRawCall, observeRaw, type RawCall } from "./calls/raw-call.js";
import { type ComparedServer, startConnectNode, startOurs } from "./calls/servers.js";
import { differencesOf, problemsOf } from "./differences.js";

// Makes random calls of every kind and protocol, valid and malformed, to our server and to connect-node, and compares what the
// clients and the handlers see.

const options = readCaseOptions("differential/calls");
const servers = [await startOurs(), await startConnectNode()] as const;
/** The number of calls, which identifies each. */
let calls = 0;

async function compare({ index, random, isAlone, count }: Case): Promise<string[]> {
  const call = random.oneIn(3) ? anyRawCall(random) : anyCall(random);
  const id = String(calls++);
  const [ours, theirs] = await Promise.all(servers.map((server) => observe(server, call, id)));
  if (ours === undefined || theirs === undefined) {
    throw new Error("there are two servers");
  }
  if (isAlone) {
    console.log(JSON.stringify({ ...call, method: call.method.name, ours, theirs }, undefined, 1));
  }
  const differences = differencesOf(ours, theirs);
  const seen = { ours: Object(ours.client), theirs: Object(theirs.client) };
  const problems =
    call.kind === "call"
      ? problemsOf(differences, KNOWN_IN_CALLS, { call, ...seen }, "connect-node", count)
      : problemsOf(differences, KNOWN_IN_RAW, { call, ...seen }, "connect-node", count);
  if (ours.running !== 0 || (isUnanswered(seen.ours) && !isUnanswered(seen.theirs))) {
    // It has no excuse: such a call fails the run also if it ends when it runs again.
    hanging.push(
      `case ${index}: the call, or its handler, has not ended on our server: ${ours.running} handlers run, ${JSON.stringify(seen.ours).slice(0, 300)}`,
    );
  }
  return problems.length === 0 ? [] : [...problems, describeCall(call)];
}

const hanging: string[] = [];

function isUnanswered({ error, failure }: Readonly<Record<string, unknown>>): boolean {
  return error === UNANSWERED || failure === "late";
}

function observe(server: ComparedServer, call: AnyCall | RawCall, id: string): Promise<Observation> {
  return call.kind === "call" ? observeCall(server, call, id) : observeRaw(server, call, id);
}

function describeCall(call: AnyCall | RawCall): string {
  const how =
    call.kind === "call"
      ? JSON.stringify(call.client)
      : `${call.protocol} ${call.isBinary} HTTP/${call.http} ${call.httpMethod}: ${call.changes.join(", ")}`;
  return `${call.method.name}, ${how}`;
}

// Calls that differ run again one after another: neither a busy machine nor a connection that another call has used is the cause.
await runCases(options, { run: compare, workers: 12, workersAgain: 1, finish: () => hanging });
process.exit();
