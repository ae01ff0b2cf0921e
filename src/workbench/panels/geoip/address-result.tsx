import type { IpMetadata } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { Facts, timeFact } from "../../kit/answers/facts.js";
import { Flag } from "../../kit/answers/flag.js";
import { countryWords, placeWords, pointOf } from "../../kit/answers/place-words.js";
import { Prose } from "../../kit/content.js";
import { CopyLinkButton } from "../../kit/copy.js";
import { panelHash } from "../../kit/location.js";
import { addressDataAge, useAbout } from "../../kit/service/about.js";
import type { ShownError } from "../../kit/service/errors.js";
import { useAnnouncement } from "../../kit/session.js";
import { titleOf } from "../../kit/text.js";
import { formatCoordinates, type GeoPoint } from "../../map/projection.js";
import { WorldMap } from "../../map/world-map.js";
import type { Plain } from "../../schema/method.js";
import { rfcLinks } from "./addresses.js";

interface LookupResultProps {
  readonly metadata: Plain<IpMetadata> | undefined;
  readonly error: ShownError | undefined;
}

/** The place of an address with its map and facts, or the reason why there are none. There is no map without a place. */
export function LookupResult({ metadata, error }: LookupResultProps) {
  const code = metadata?.location?.country ?? "";
  const point = metadata === undefined ? undefined : pointOf(metadata);
  const label = mapLabel(metadata?.details?.countryName ?? code, point);
  // ErrorView announces errors.
  useAnnouncement(metadata === undefined ? "" : `${metadata.ip}: ${label}`);
  if (error !== undefined && error.code !== "NOT_FOUND") {
    // The field shows what is wrong with it.
    return error.violations.length === 0 ? <ErrorView error={error} /> : null;
  }
  const hasMap = code !== "" || point !== undefined;
  return (
    <section class={hasMap ? "card card-body columns geoip-result" : "card card-body"} aria-label="Location">
      {metadata !== undefined && <PlaceHeading metadata={metadata} />}
      {hasMap && (
        <WorldMap
          label={label}
          countries={code === "" ? [] : [code]}
          points={point === undefined ? [] : [point]}
        />
      )}
      {metadata !== undefined && <IpFacts metadata={metadata} />}
      {error !== undefined && <NotFoundNote error={error} />}
    </section>
  );
}

function mapLabel(name: string, point: GeoPoint | undefined): string {
  const parts = [name, point === undefined ? "" : formatCoordinates(point)].filter((part) => part !== "");
  return parts.length === 0 ? "no location" : parts.join(", ");
}

interface PlaceProps {
  readonly metadata: Plain<IpMetadata>;
}

/** The place of an address as a heading: "Mountain View, California", and below it "United States (US) · 8.8.8.8". */
function PlaceHeading({ metadata }: PlaceProps) {
  const { ip, location } = metadata;
  const country = location?.country ?? "";
  const { title, below } = placeWords(metadata);
  return (
    <div class="row heading geoip-place">
      {country !== "" && <Flag code={country} isTile />}
      <div>
        <h2>{title === "" ? ip : title}</h2>
        {title !== "" && (
          <p class="soft">
            {below !== "" && `${below} · `}
            <span class="code">{ip}</span>
          </p>
        )}
      </div>
      <CopyLinkButton hash={panelHash("geoip", { value: ip })} />
    </div>
  );
}

/** What is known of an address, with units, and the age of the data. */
function IpFacts({ metadata }: PlaceProps) {
  const { location, asn, asnName, subnet, details } = metadata;
  const about = useAbout();
  const country = location?.country ?? "";
  const point = pointOf(metadata);
  const radius = details?.accuracyRadiusKm ?? 0;
  const age = about === undefined ? "" : addressDataAge(about.sources);
  return (
    <div class="stack tight">
      <Facts
        facts={[
          [
            "Country",
            country === "" ? (
              ""
            ) : (
              <a href={panelHash("countries", { value: country })}>{countryWords(metadata)}</a>
            ),
            location?.eu === true ? "in the EU" : "not in the EU",
          ],
          ["Region", details?.region ?? "", details?.regionCode],
          ["City", details?.city ?? "", details?.postalCode],
          ["Continent", details?.continent ?? ""],
          timeFact(details?.timeZone ?? ""),
          ["Calling code", details?.callingCode ?? ""],
          ["Currency", details?.currency ?? ""],
          [
            "Coordinates",
            point === undefined ? "" : formatCoordinates(point),
            radius === 0 ? undefined : `within ${radius.toLocaleString("en")} km`,
          ],
          // 0 means unknown.
          ["Network", asnName === "" && asn !== 0 ? `AS${asn}` : asnName, asn === 0 ? undefined : `AS${asn}`],
          ["Address range", subnet],
        ]}
      />
      {age !== "" && <p class="meta">{age}</p>}
    </div>
  );
}

/** Why nothing is known about an address. The metadata of the error names its special-purpose range and the RFC. */
function NotFoundNote({ error }: { readonly error: Pick<ShownError, "message" | "metadata"> }) {
  return (
    <div class="stack tight">
      <p class="geoip-note">
        <Prose text={error.message} />
      </p>
      <Facts
        facts={Object.entries(error.metadata).map(([name, value]) => [
          titleOf(name),
          rfcLinks(value).map(({ text, href }, index) => (
            <span key={text}>
              {index > 0 && "; "}
              {href === undefined ? text : <a href={href}>{text}</a>}
            </span>
          )),
        ])}
      />
    </div>
  );
}
