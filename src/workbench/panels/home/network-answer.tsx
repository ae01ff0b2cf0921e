import type { GeoIpService, IpMetadata } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { AddressNetwork } from "../../../text/ip-address.js";
import { Facts } from "../../kit/answers/facts.js";
import { FULL_VIEW, placeWords } from "../../kit/answers/place-words.js";
import { panelHash } from "../../kit/location.js";
import { addressDataAge, useAbout } from "../../kit/service/about.js";
import { useAnswer } from "../../kit/service/call.js";
import { methodAt, type Plain } from "../../schema/method.js";
import { ResultCard } from "./result-card.js";

const LOOKUP = methodAt<typeof GeoIpService.method.lookupIp>("GeoIpService/LookupIp");

/** The first and the last address of a network, its size, and the places of these two. */
export function NetworkResult({ network }: { readonly network: AddressNetwork }) {
  const { cidr, first, last, size, prefixLength } = network;
  const about = useAbout();
  const calls = [
    useAnswer(LOOKUP, { ipAddress: first, view: FULL_VIEW }),
    useAnswer(LOOKUP, { ipAddress: last, view: FULL_VIEW }),
  ];
  const [start, end] = calls.map(({ message, failure }) =>
    message?.metadata === undefined ? failure?.metadata.range : placeOf(message.metadata),
  );
  const metadata = calls[0]?.message?.metadata;
  const isOnePlace = Number(metadata?.subnet.split("/")[1]) <= prefixLength;
  const isKnown = calls.every(({ outcome }) => outcome !== undefined);
  const error = calls.find(({ failure }) => failure !== undefined && failure.code !== "NOT_FOUND")?.failure;
  return (
    <ResultCard
      tool="geoip"
      what="Network"
      title={isKnown ? (first === last ? first : `${first} – ${last}`) : ""}
      below={`${cidr}, ${size} ${size === "1" ? "address" : "addresses"}`}
      error={error}
      link={{ href: panelHash("geoip", { value: first }), text: "Open the first address in Geo IP" }}
      aside={metadata && about && addressDataAge(about.sources)}
    >
      {isKnown && (
        <Facts
          facts={
            start === end
              ? [
                  [
                    "Place",
                    start ?? "not known",
                    isOnePlace ? undefined : "of the first and the last address",
                  ],
                  [
                    "Network operator",
                    metadata?.asnName ?? "",
                    metadata?.asn ? `AS${metadata.asn}` : undefined,
                  ],
                ]
              : [
                  ["Place of the first", start ?? "not known"],
                  ["Place of the last", end ?? "not known"],
                ]
          }
        />
      )}
    </ResultCard>
  );
}

function placeOf(metadata: Plain<IpMetadata>): string {
  const { title, below } = placeWords(metadata);
  return [title, below].filter((words) => words !== "").join(", ");
}
