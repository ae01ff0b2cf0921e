import {
  IpLocationSchema,
  type IpMetadata,
  IpMetadataSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { Flag } from "../../flags/flag.js";
import { useDrawsFlags } from "../../flags/use-draws-flags.js";
import { FactList, NoValue } from "../../kit/fact-list.js";
import { pointOf } from "./point-of.js";

interface IpFactsProps {
  readonly metadata: IpMetadata;
  /** The name of the country that the address is in. */
  readonly countryName: string;
}

/** What is known of an address: its country as a heading, and the rest as a list. */
export function IpFacts({ metadata, countryName }: IpFactsProps) {
  const isDrawn = useDrawsFlags();
  const { location, asn } = metadata;
  const point = pointOf(metadata);
  return (
    <div class="geoip-facts">
      <h2 class="geoip-country">
        {location !== undefined && location.country !== "" ? (
          <>
            <Flag code={location.country} isDrawn={isDrawn} /> {countryName}
          </>
        ) : (
          metadata.ip
        )}
      </h2>
      {location !== undefined && (
        <FactList desc={IpLocationSchema} message={location} fields={["country", "eu"]} />
      )}
      <FactList
        desc={IpMetadataSchema}
        message={metadata}
        fields={["asnName", "asn", "subnet", "coords", "ip"]}
        show={{
          // The service's 0 stands for a number that is not known.
          asn: () => (asn === 0 ? <NoValue /> : `AS${asn}`),
          coords: () => (point === undefined ? <NoValue /> : `${point.lat}, ${point.lon}`),
        }}
      />
    </div>
  );
}
