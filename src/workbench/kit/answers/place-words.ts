import type { IpMetadata, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { GeoPoint } from "../../map/projection.js";
import type { Plain } from "../../schema/method.js";

/** `LookupView.FULL`. The enum itself would load the schema. */
export const FULL_VIEW: LookupView.FULL = 2;

/** Returns the name of the country of an address, with its code; "" if it is not known. */
export function countryWords({ location, details }: Plain<IpMetadata>): string {
  const { country = "" } = location ?? {};
  const { countryName = "" } = details ?? {};
  return countryName === "" || countryName === country ? country : `${countryName} (${country})`;
}

/** Returns the heading of the place of an address and what stands below it: "Mountain View, California" and "United States (US)". */
export function placeWords(metadata: Plain<IpMetadata>): { readonly title: string; readonly below: string } {
  const { city = "", region = "" } = metadata.details ?? {};
  const near = [city, region === city ? "" : region].filter((name) => name !== "").join(", ");
  const name = countryWords(metadata);
  return near === "" ? { title: name, below: "" } : { title: near, below: name };
}

/** Returns the time in a time zone and its offset: ["Sunday 22:04", "UTC−8"]; undefined for a zone that the browser does not know. */
export function localTime(timeZone: string, now: Date): readonly [time: string, offset: string] | undefined {
  try {
    const format = new Intl.DateTimeFormat("en", {
      timeZone,
      weekday: "long",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZoneName: "shortOffset",
    });
    const parts = format.formatToParts(now);
    const part = (type: string) => parts.find((each) => each.type === type)?.value ?? "";
    const offset = part("timeZoneName").replace("GMT", "UTC").replace("-", "−");
    return [`${part("weekday")} ${part("hour")}:${part("minute")}`, offset];
  } catch {
    return undefined;
  }
}

/** Returns the location of an address; undefined without one, for which the service returns 0 and 0. */
export function pointOf({ coords }: { readonly coords?: GeoPoint | undefined }): GeoPoint | undefined {
  return coords === undefined || (coords.lat === 0 && coords.lon === 0) ? undefined : coords;
}
