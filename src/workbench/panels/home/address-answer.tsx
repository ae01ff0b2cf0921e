import type { GeoIpService, IpMetadata } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { Facts, timeFact } from "../../kit/answers/facts.js";
import { Flag } from "../../kit/answers/flag.js";
import { FULL_VIEW, placeWords, pointOf } from "../../kit/answers/place-words.js";
import { Loaded } from "../../kit/loaded.js";
import { panelHash } from "../../kit/location.js";
import { addressDataAge, useAbout } from "../../kit/service/about.js";
import { useAnswer } from "../../kit/service/call.js";
import { methodAt, type Plain } from "../../schema/method.js";
import { ResultCard } from "./result-card.js";

const LOOKUP = methodAt<typeof GeoIpService.method.lookupIp>("GeoIpService/LookupIp");

/** Loads the map, whose outlines are a large file. */
export const loadMap = () => import("../../map/world-map.js").then((module) => module.WorldMap);

const NOT_IPV4 =
  "This is no complete IP address. An IPv4 address has four numbers from 0 to 255, such as 8.8.8.8.";

/** Where an address is, and whose it is; for a special-purpose address its range. */
export function AddressResult({ address }: { readonly address: string }) {
  const about = useAbout();
  const { message, failure } = useAnswer(LOOKUP, { ipAddress: address, view: FULL_VIEW });
  const { range = "", block = "", reference } = failure?.metadata ?? {};
  const metadata = message?.metadata;
  const { title, below } = metadata === undefined ? { title: range, below: "" } : placeWords(metadata);
  const country = metadata?.location?.country ?? "";
  return (
    <ResultCard
      tool="geoip"
      what="IP address"
      title={title || (message?.ip ?? "")}
      picture={country !== "" && <Flag code={country} isTile />}
      below={below}
      error={range === "" ? failure : undefined}
      mistake={address.includes(":") ? undefined : NOT_IPV4}
      link={{ href: panelHash("geoip", { value: address }), text: "Open in Geo IP" }}
      aside={message && about && addressDataAge(about.sources)}
    >
      {range !== "" && (
        <p>
          Addresses from {block} are for special purposes, and have no place. {reference}
        </p>
      )}
      {metadata !== undefined && (
        <AddressFacts metadata={metadata} label={[title, below].filter(Boolean).join(", ")} />
      )}
    </ResultCard>
  );
}

interface AddressFactsProps {
  readonly metadata: Plain<IpMetadata>;
  readonly label: string;
}

function AddressFacts({ metadata, label }: AddressFactsProps) {
  const { location, details, asn, asnName } = metadata;
  const point = pointOf(metadata);
  const countries = location === undefined || location.country === "" ? [] : [location.country];
  return (
    <>
      <Facts
        facts={[["Network", asnName, asn === 0 ? undefined : `AS${asn}`], timeFact(details?.timeZone ?? "")]}
      />
      {point !== undefined && (
        <div class="home-map">
          <Loaded load={loadMap} props={{ label, countries, points: [point] }} />
        </div>
      )}
    </>
  );
}
