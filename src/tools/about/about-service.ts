import type { DescService } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { AboutService } from "@utility-tools/protos/utilitytools/v1/about_pb.js";
import { ok } from "../../failures/result.js";
import { packageVersion } from "../../installed-package.js";
import { ageInDays, createTool, type DataSource, type Tool, type ToolModule } from "../tool.js";

/** The dependencies of {@link aboutService}. */
export interface AboutServiceDeps {
  /** The version of the program. */
  readonly version: string;
  /** Returns all tools of the server. */
  readonly tools: () => readonly Tool[];
  /** Returns milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Creates the about tool: the version of the program, and the sources of the data that all tools use now. */
export function aboutService({ version, tools, now }: AboutServiceDeps): Tool {
  return createTool(AboutService, {
    getAbout: () => ({
      version,
      sources: joinSources(tools()).map(({ builtAt, services, isFixed: _, chosenBy: __, ...source }) => ({
        ...source,
        ...(builtAt === undefined
          ? {}
          : { buildTime: timestampFromDate(builtAt), ageDays: ageInDays(builtAt, now()) }),
        services: [...services],
      })),
    }),
  });
}

export const load: ToolModule["load"] = ({ tools, now }) =>
  ok(aboutService({ version: packageVersion(), tools, now }));

/** A source, and the full names of the services that use it. */
export interface UsedSource extends DataSource {
  readonly services: readonly string[];
}

/** Returns each source of the tools once, in order of first use, with all services that use it. */
export function joinSources(
  tools: readonly (Pick<Tool, "sources"> & { readonly service: Pick<DescService, "typeName"> })[],
): UsedSource[] {
  const joined = new Map<string, { readonly source: DataSource; readonly services: Set<string> }>();
  for (const { service, sources } of tools) {
    for (const source of sources?.() ?? []) {
      const { name, publisher, url, license, attribution, version, builtAt } = source;
      const key = JSON.stringify([name, publisher, url, license, attribution, version, builtAt?.getTime()]);
      const known = joined.get(key) ?? { source, services: new Set() };
      known.services.add(service.typeName);
      joined.set(key, known);
    }
  }
  return [...joined.values()].map(({ source, services }) => ({ ...source, services: [...services] }));
}
