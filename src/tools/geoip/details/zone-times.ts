/** The time of a time zone at a moment. */
export interface ZoneTime {
  /** The difference to UTC: `+02:00`. */
  readonly utcOffset: string;
  /** Whether the clocks are ahead of the standard time of the same year. */
  readonly daylightSaving: boolean;
}

/** The differences to UTC change only at the start of such a period, in milliseconds. */
const PERIOD = 15 * 60 * 1000;

/** Returns the number of the period in which no time zone changes its difference to UTC. */
export function zonePeriod(time: number): number {
  return Math.floor(time / PERIOD);
}

/** The number of time zones to keep. There are 420 of them; files of users can have other names. */
const MAX_ZONES = 512;

/** Returns a function that finds the time of a time zone; undefined for an unknown one. Results are kept for a period. */
export function zoneTimes(): (timeZone: string, time: number) => ZoneTime | undefined {
  let period = Number.NaN;
  let known = new Map<string, ZoneTime | undefined>();
  return (timeZone, time) => {
    if (zonePeriod(time) !== period || known.size >= MAX_ZONES) {
      period = zonePeriod(time);
      known = new Map();
    }
    if (!known.has(timeZone)) {
      known.set(timeZone, zoneTimeAt(timeZone, time));
    }
    return known.get(timeZone);
  };
}

function zoneTimeAt(timeZone: string, time: number): ZoneTime | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  const offsetAt = (moment: number): string => {
    const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value ?? "";
    return name.slice("GMT".length) || "+00:00";
  };
  const year = new Date(time).getUTCFullYear();
  const [now, january, july] = [time, Date.UTC(year, 0), Date.UTC(year, 6)].map((moment) =>
    minutesOf(offsetAt(moment)),
  );
  return { utcOffset: offsetAt(time), daylightSaving: (now ?? 0) > Math.min(january ?? 0, july ?? 0) };
}

function minutesOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number);
  return (offset.startsWith("-") ? -1 : 1) * (60 * hours + minutes);
}
