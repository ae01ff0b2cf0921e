import type { IpMetadata } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { Result } from "../../../result.js";
import type { CallError } from "../../kit/call-error.js";
import { useAnnouncement } from "../../kit/use-announcement.js";
import { formatCoordinates, type GeoPoint } from "../../map/format-coordinates.js";
import { WorldMap } from "../../map/world-map.js";
import type { Countries } from "../countries/use-countries.js";
import { IpFacts } from "./ip-facts.js";
import { NotFoundNote } from "./not-found-note.js";
import { pointOf } from "./point-of.js";

interface LookupResultProps {
  readonly outcome:
    | Result<{ readonly message: { readonly metadata?: IpMetadata | undefined } }, CallError>
    | undefined;
  readonly countries: Countries;
}

/** The map, and beside it what is known of an address, or why nothing is. */
export function LookupResult({ outcome, countries }: LookupResultProps) {
  const metadata = outcome?.ok === true ? outcome.value.message.metadata : undefined;
  const code = metadata?.location?.country ?? "";
  const point = metadata === undefined ? undefined : pointOf(metadata);
  const label = labelOf(code === "" ? "" : countries.nameOf(code), point);
  const error = outcome?.ok === false ? outcome.failure : undefined;
  // What went wrong is said where the error is shown.
  useAnnouncement(metadata === undefined ? "" : `${metadata.ip}: ${label}`);
  return (
    <section class="card card-body geoip-result" aria-label="Location">
      <WorldMap
        label={label}
        countries={code === "" ? [] : [code]}
        points={point === undefined ? [] : [point]}
      />
      {metadata !== undefined && <IpFacts metadata={metadata} countryName={countries.nameOf(code)} />}
      {error?.code === "NOT_FOUND" && <NotFoundNote error={error} />}
    </section>
  );
}

/** What the map shows, in words. */
function labelOf(name: string, point: GeoPoint | undefined): string {
  const parts = [name, point === undefined ? "" : formatCoordinates(point)].filter((part) => part !== "");
  return parts.length === 0 ? "no location" : parts.join(", ");
}
