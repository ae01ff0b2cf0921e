import type { DataSource } from "../tool.js";

/** What a service is made of. */
export interface ServiceSources {
  /** The full name of the service. */
  readonly service: string;
  readonly sources: readonly DataSource[];
}

/** A source, and the full names of the services that use it. */
export interface UsedSource extends DataSource {
  readonly services: readonly string[];
}

/** Each source once, in the order in which they come first, with all services that use it. */
export function joinSources(used: readonly ServiceSources[]): UsedSource[] {
  const joined = new Map<string, { readonly source: DataSource; readonly services: Set<string> }>();
  for (const { service, sources } of used) {
    for (const source of sources) {
      const key = keyOf(source);
      const known = joined.get(key) ?? { source, services: new Set() };
      known.services.add(service);
      joined.set(key, known);
    }
  }
  return [...joined.values()].map(({ source, services }) => ({ ...source, services: [...services] }));
}

/** What is the same for sources that are the same in everything. */
function keyOf({ name, publisher, url, licence, attribution, version, builtAt }: DataSource): string {
  return JSON.stringify([name, publisher, url, licence, attribution, version, builtAt?.getTime()]);
}
