import type { AboutService, GetAboutResponse } from "@utility-tools/protos/utilitytools/v1/about_pb.js";
import { methodAt, type Plain } from "../../schema/method.js";
import { useSession } from "../session.js";
import { useAnswer } from "./call.js";

const GET = methodAt<typeof AboutService.method.getAbout>("AboutService/GetAbout");

/** The data sources of the service. */
export type Sources = Plain<GetAboutResponse>["sources"];

/** Returns the version and the data sources of the service; undefined until they are known. */
export function useAbout(): Plain<GetAboutResponse> | undefined {
  const { retries } = useSession();
  // Also with each retry: its success shows that the service responds again, if no other call is waiting.
  return useAnswer(GET, {}, 0, retries).message;
}

/** What the names of sources say about their data. */
const CONTENTS = [
  ["Locations", /city|country|location/i],
  ["networks", /asn/i],
] as const;

/** Returns the months of the data about addresses: "Locations: June 2026 · networks: September 2026". "" if no source has a date. */
export function addressDataAge(sources: Sources): string {
  const ofAddresses = sources.filter(({ services }) => services.includes("utilitytools.v1.GeoIpService"));
  const parts = CONTENTS.flatMap(([content, names]) => {
    const source = ofAddresses.find(({ name, buildTime }) => names.test(name) && buildTime !== undefined);
    return source?.buildTime === undefined ? [] : [`${content}: ${monthOf(source.buildTime)}`];
  });
  return parts.join(" · ");
}

function monthOf(time: string): string {
  return new Date(time).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
}
