import { createHash } from "node:crypto";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { fileSetBytes, type HttpRules, readFileSet, readRules, toFileSet } from "connect-transcoding/rules";
import { parse } from "yaml";
import { OptionError, problemText } from "../errors.js";
import type { GatewayOptions } from "../options.js";
import { type Upstream, upstreamOf } from "../proxy/upstream.js";
import { readOption } from "../server/tls-files.js";
import { reflect } from "./reflection.js";

/** Descriptors, and which of their services are served. */
export interface DescriptorGroup {
  readonly files: FileDescriptorSet;
  /** The full names of the services with their upstreams. */
  readonly services: ReadonlyMap<string, Upstream>;
}

/** What the routes are made of. */
export interface Descriptors {
  readonly groups: readonly DescriptorGroup[];
  readonly rules: HttpRules;
  /** Differs if anything else differs. */
  readonly version: string;
  /** Why some upstreams have no descriptors. */
  readonly problems: readonly string[];
}

/** Services that the gateway serves itself. */
const OWN_SERVICES = /^grpc\.(?:health|reflection)\./;

/**
 * Creates the function that loads descriptors: from the files of `--descriptor`, or by reflection. With reflection, an upstream that does
 * not answer keeps the descriptors that it had. Files are read each time; the function rejects with an OptionError if one is invalid.
 */
export function createSource(
  options: Pick<GatewayOptions, "descriptors" | "rules">,
  upstreams: readonly Upstream[],
  signal: AbortSignal,
): () => Promise<Descriptors> {
  const reflected = new Map<Upstream, DescriptorGroup>();

  async function fromFiles(): Promise<readonly DescriptorGroup[]> {
    const files = [];
    for (const path of options.descriptors) {
      const bytes = await readOption("descriptor", path);
      try {
        files.push(...readFileSet(bytes));
      } catch (thrown) {
        throw new OptionError(`--descriptor ${path}: not a descriptor set: ${problemText(thrown)}`);
      }
    }
    const names = files.flatMap((file) =>
      file.service.map(({ name }) => (file.package === "" ? name : `${file.package}.${name}`)),
    );
    return [{ files: toFileSet(files), services: servicesOf(names, (name) => upstreamOf(upstreams, name)) }];
  }

  async function fromReflection(problems: string[]): Promise<readonly DescriptorGroup[]> {
    await Promise.all(
      upstreams.map(async (upstream) => {
        try {
          const { services, files } = await reflect(upstream.transport, signal);
          const own = servicesOf(services, (name) =>
            upstreamOf(upstreams, name) === upstream ? upstream : undefined,
          );
          reflected.set(upstream, { files: toFileSet(files), services: own });
        } catch (thrown) {
          problems.push(`${upstream.url}: no descriptors by reflection: ${problemText(thrown)}`);
        }
      }),
    );
    return upstreams.flatMap((upstream) => reflected.get(upstream) ?? []);
  }

  return async () => {
    const problems: string[] = [];
    const rulesText = options.rules === undefined ? "" : String(await readOption("rules", options.rules));
    let rules: HttpRules = [];
    if (options.rules !== undefined) {
      try {
        rules = readRules(parse(rulesText));
      } catch (thrown) {
        throw new OptionError(`--rules ${options.rules}: ${problemText(thrown)}`);
      }
    }
    const groups = options.descriptors.length > 0 ? await fromFiles() : await fromReflection(problems);
    const hash = createHash("sha256").update(rulesText);
    for (const { files, services } of groups) {
      hash.update(fileSetBytes(files)).update([...services.keys()].join(" "));
    }
    return { groups, rules, problems, version: hash.digest("hex") };
  };
}

function servicesOf(
  names: readonly string[],
  find: (name: string) => Upstream | undefined,
): ReadonlyMap<string, Upstream> {
  const services = new Map<string, Upstream>();
  for (const name of names.filter((each) => !OWN_SERVICES.test(each))) {
    const upstream = find(name);
    if (upstream !== undefined) {
      services.set(name, upstream);
    }
  }
  return services;
}
