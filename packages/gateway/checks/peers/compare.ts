import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, createRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { check } from "connect-transcoding-testing/checks.mjs";
import { differencesOf, short } from "connect-transcoding-testing/differences.js";
import { knownFailures } from "connect-transcoding-testing/known.mjs";
import { type Api, PEERS, UPSTREAMS } from "../gateway/programs.js";
import { type Answer, askFor } from "./answers.js";
import { checkCompliance } from "./compliance.js";
import { JUDGEMENTS, UNSUPPORTED } from "./judgements.js";
import { apiOf } from "./rules.js";
import { readTable, type TableCase } from "./table.js";

// Sends the requests of a suite's tables to our gateway and to its peers: compare.ts SUITE [--answers]. With --answers, it prints all
// differences.

const ALL = Object.keys(PEERS);
const SUITES: Readonly<Record<string, readonly [tables: readonly string[], peers: readonly string[]]>> = {
  "grpc-gateway": [["grpc-gateway"], ALL],
  vanguard: [["vanguard", "parameters"], ALL],
  envoy: [["envoy"], ["ours", "Envoy"]],
  showcase: [["showcase"], ["ours"]],
  aspnet: [["aspnet"], ["ours"]],
};

const [name = "", option] = process.argv.slice(2);
const [tables, programs] = SUITES[name] ?? [[], []];
const known = knownFailures(join(import.meta.dirname, "known-failures", `${name}.txt`));
const isVerbose = option === "--answers";
const used = new Set<unknown>();
const lines: string[] = [];

const isUnsupported = (peer: string, method: string) =>
  UNSUPPORTED.some(([name, methods]) => name === peer && methods.test(method));

/** Sends the requests of a table to a program, which starts again when a request has ended it. */
async function askAll(peer: string, api: Api, cases: readonly TableCase[], upstream: number) {
  const registry = createRegistry(
    createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(api.descriptors))),
  );
  const methods = api.services.flatMap((service) => registry.getService(service)?.methods ?? []);
  const fullName = (method: (typeof methods)[number]) => `${method.parent.typeName}.${method.name}`;
  const rejected = new Set(methods.map(fullName).filter((method) => isUnsupported(peer, method)));
  const start = () => PEERS[peer]?.(api, upstream, rejected) ?? Promise.reject(new Error(`no ${peer}`));
  let program = await start();
  const answers: (Answer | undefined)[] = [];
  for (const each of cases) {
    const method = methods.find((one) => fullName(one) === each.method);
    if (method === undefined) {
      throw new Error(`no method ${each.method}`);
    }
    const isServed = !isUnsupported(peer, each.method) && !isUnsupported("ours", each.method);
    const answer = isServed ? await askFor(each, method, registry, program.port) : undefined;
    answers.push(answer);
    if (answer?.status === 0) {
      console.log(`${peer} has ended: ${each.line}: ${program.read("stderr").split("\n", 1)}`);
      await program.stop();
      program = await start();
    }
  }
  await program.stop();
  return answers;
}

/** Checks our answers against the right ones of the table. */
function checkRight(table: string, cases: readonly TableCase[], answers: readonly (Answer | undefined)[]) {
  for (const [index, { line, method, right }] of cases.entries()) {
    const answer = answers[index];
    const name = `${table}: ${line}`;
    if (answer === undefined) {
      const [, , why = ""] =
        UNSUPPORTED.find(([peer, methods]) => peer === "ours" && methods.test(method)) ?? [];
      known.skip(name, why);
    } else if (right !== undefined) {
      const expected = { status: right.status, ...(right.status < 300 && { method }), ...right.parts };
      const found = Object.fromEntries(Object.entries(answer).filter(([part]) => part in expected));
      known.checkCase(name, differencesOf(found, expected).length === 0, short(found));
    }
  }
}

/** Checks that each difference between ours and a peer has a judgement. */
function checkPeer(
  table: string,
  peer: string,
  cases: readonly TableCase[],
  ours: readonly (Answer | undefined)[],
  theirs: readonly (Answer | undefined)[],
) {
  let compared = 0;
  for (const [index, { line }] of cases.entries()) {
    const other = theirs[index];
    if (other === undefined) {
      continue;
    }
    compared++;
    const found = differencesOf(ours[index], other).map(
      ({ path, ours, theirs }) => `${path} ${short(ours)} ${short(theirs)}`,
    );
    const open = found.filter((text) => {
      const judgement = JUDGEMENTS.find(
        ({ peers, request, found }) =>
          (peers.includes(peer) || peers.includes("*")) && request.test(line) && found.test(text),
      );
      used.add(judgement);
      return judgement === undefined;
    });
    known.checkCase(
      `${table}, ${peer}: ${line}`,
      open.length === 0 && !(isVerbose && found.length > 0),
      (isVerbose ? found : open).join("; "),
    );
  }
  check(`${table}: ${peer} serves ${compared} of ${cases.length} requests`, compared > 0);
}

for (const table of tables) {
  const cases = readTable(table);
  lines.push(...cases.map(({ line }) => line));
  const api = apiOf(table);
  const upstream = await UPSTREAMS.Go(api.descriptors);
  const ours = await askAll("ours", api, cases, upstream.port);
  checkRight(table, cases, ours);
  for (const peer of programs.filter((each) => each !== "ours")) {
    checkPeer(table, peer, cases, ours, await askAll(peer, api, cases, upstream.port));
  }
  if (table === "showcase") {
    await checkCompliance(api, upstream.port, known);
  }
  await upstream.stop();
}
for (const { peers, request, why } of JUDGEMENTS.filter((each) => !used.has(each))) {
  // Those about any request may apply to other tables alone.
  const isAbout = request.source !== "." && lines.some((line) => request.test(line));
  if (isAbout && programs.some((each) => peers.includes(each))) {
    check(`a judgement applies: ${peers}: ${why}`, false);
  }
}
known.conclude();
