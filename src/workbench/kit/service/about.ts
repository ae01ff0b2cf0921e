import { useSession } from "../session.js";
import { useJson } from "./send.js";

/** The version and the data sources of the service, as `GetAbout` answers in JSON. */
export interface About {
  readonly version: string;
  readonly sources: readonly {
    readonly name: string;
    readonly publisher: string;
    readonly url: string;
    readonly license: string;
    readonly version: string;
    readonly build_time?: string;
    readonly age_days?: number;
    readonly services: readonly string[];
  }[];
}

/** Returns the version and the data sources of the service; undefined until they are known. */
export function useAbout(): About | undefined {
  const { retries } = useSession();
  // Also with each retry: its success shows that the service responds again, if no other call is waiting.
  return useJson<About>("AboutService/GetAbout", {}, retries).answer;
}

/** What the names of sources say about their data. */
const CONTENTS = [
  ["Locations", /city|country|location/i],
  ["networks", /asn/i],
] as const;

/** Returns the months of the data about addresses: "Locations: June 2026 · networks: September 2026". "" if no source has a date. */
export function addressDataAge(sources: About["sources"]): string {
  const ofAddresses = sources.filter(({ services }) => services.includes("utilitytools.v1.GeoIpService"));
  const parts = CONTENTS.flatMap(([content, names]) => {
    const source = ofAddresses.find(({ name, build_time }) => names.test(name) && build_time !== undefined);
    return source?.build_time === undefined ? [] : [`${content}: ${monthOf(source.build_time)}`];
  });
  return parts.join(" · ");
}

function monthOf(time: string): string {
  return new Date(time).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
}
