import { readFileSync } from "node:fs";
import { createFileRegistry, createRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";
import { differencesOf, short } from "connect-transcoding-testing/differences.js";
import { startGateway, UPSTREAMS } from "../gateway/programs.js";
import { askFor } from "./answers.js";
import { checkCompliance } from "./compliance.js";
import { apiOf } from "./rules.js";
import { readTable } from "./table.js";

// Sends the requests of the tables to our gateway, in front of a server in Go, and compares the answers with the right ones.

const TABLES = ["envoy", "showcase", "aspnet"];

for (const table of TABLES) {
  const api = apiOf(table);
  const registry = createRegistry(
    createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(api.descriptors))),
  );
  const methods = api.services.flatMap((service) => registry.getService(service)?.methods ?? []);
  const upstream = await UPSTREAMS.Go(api.descriptors);
  const gateway = await startGateway(upstream.port, "--descriptor", api.descriptors);
  for (const each of readTable(table)) {
    const { right } = each;
    if (right === undefined) {
      continue;
    }
    const method = methods.find(({ parent, name }) => `${parent.typeName}.${name}` === each.method);
    if (method === undefined) {
      throw new Error(`no method ${each.method}`);
    }
    const answer = await askFor(each, method, registry, gateway.port);
    const expected = {
      status: right.status,
      ...(right.status < 300 && { method: each.method }),
      ...right.parts,
    };
    const found = Object.fromEntries(Object.entries(answer).filter(([part]) => part in expected));
    check(`${table}: ${each.line}`, differencesOf(found, expected).length === 0, short(found));
  }
  if (table === "showcase") {
    await checkCompliance(api, gateway.port);
  }
  await gateway.stop();
  await upstream.stop();
}
conclude();
