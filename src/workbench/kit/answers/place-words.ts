import type { GeoPoint } from "../../map/projection.js";

/** The words of a place; "" for unknown parts. */
export interface PlaceNames {
  readonly city: string;
  readonly region: string;
  readonly countryName: string;
  /** Alpha-2 code. */
  readonly country: string;
}

/** Returns the heading of a place and what stands below it: "Mountain View, California" and "United States (US)". */
export function placeWords({ city, region, countryName, country }: PlaceNames): {
  readonly title: string;
  readonly below: string;
} {
  const near = [city, region === city ? "" : region].filter((name) => name !== "").join(", ");
  const name = countryName === "" || countryName === country ? country : `${countryName} (${country})`;
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
