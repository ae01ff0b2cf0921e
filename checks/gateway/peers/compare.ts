import { readFileSync } from "node:fs";
import { createFileRegistry, createRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { check, conclude } from "../../lib/checks.mjs";
import { differencesOf, short } from "../../lib/differences.js";
import { APIS, PEERS, UPSTREAMS } from "../programs.js";
import { type Answer, askFor } from "./answers.js";
import { JUDGEMENTS, UNSUPPORTED } from "./judgements.js";
import { readTable } from "./table.js";

const isUnsupported = (peer: string, method: string) =>
  UNSUPPORTED.some(([name, methods]) => name === peer && methods.test(method));
const used = new Set<unknown>();
const isVerbose = process.argv.includes("--answers");

for (const table of ["vanguard", "parameters", "grpc-gateway"] as const) {
  const api = APIS[table];
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(api.descriptors));
  const registry = createRegistry(createFileRegistry(set));
  const upstream = await UPSTREAMS.Go(api.descriptors);
  const answers = new Map<string, (Answer | undefined)[]>();
  const cases = readTable(table);
  const methods = api.services.flatMap((name) =>
    (registry.getService(name)?.methods ?? []).map((method) => `${name}.${method.name}`),
  );
  for (const [peer, start] of Object.entries(PEERS)) {
    const rejected = new Set(methods.filter((method) => isUnsupported(peer, method)));
    let program = await start(api, upstream.port, rejected);
    const found: (Answer | undefined)[] = [];
    for (const each of cases) {
      const [, service = "", name] = /^(.*)\.(\w+)$/.exec(each.method) ?? [];
      const method = registry.getService(service)?.methods.find((one) => one.name === name);
      if (method === undefined) {
        throw new Error(`no method ${each.method}`);
      }
      const isServed = !isUnsupported(peer, each.method) && !isUnsupported("ours", each.method);
      const answer = isServed ? await askFor(each, method, registry, program.port) : undefined;
      found.push(answer);
      if (answer?.status === 0) {
        // The request has ended the program.
        console.log(`${peer} has ended: ${each.line}: ${program.read("stderr").split("\n", 1)}`);
        await program.stop();
        program = await start(api, upstream.port, rejected);
      }
    }
    answers.set(peer, found);
    await program.stop();
  }
  await upstream.stop();

  const ours = answers.get("ours") ?? [];
  for (const [peer, theirs] of [...answers].filter(([name]) => name !== "ours")) {
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
      if (open.length > 0 || (isVerbose && found.length > 0)) {
        check(`${peer}: ${line.slice(0, 150)}`, open.length === 0, (isVerbose ? found : open).join("; "));
      }
    }
    check(`${table}: ${peer} serves ${compared} of ${cases.length} requests`, compared > 0);
  }
}
for (const { peers, why } of JUDGEMENTS.filter((each) => !used.has(each))) {
  check(`a judgement applies: ${peers}: ${why}`, false);
}
conclude();
