import { Facts, timeFact } from "../../kit/answers/facts.js";
import { Flag } from "../../kit/answers/flag.js";
import { placeWords, pointOf } from "../../kit/answers/place-words.js";
import { Loaded } from "../../kit/loaded.js";
import { addressDataAge, useAbout } from "../../kit/service/about.js";
import { useJson } from "../../kit/service/send.js";
import { panelHash } from "../../panels.js";
import type { AddressAnswer } from "./answers.js";
import { ResultCard } from "./result-card.js";

const loadMap = () => import("../../map/world-map.js").then((module) => module.WorldMap);

const NOT_AN_ADDRESS =
  "This is no complete IP address. An IPv4 address has four numbers from 0 to 255, such as 8.8.8.8.";

/** Where an address is, and whose it is; for a special-purpose address its range. */
export function AddressResult({ address }: { readonly address: string }) {
  const about = useAbout();
  const request = { ip_address: address, view: "LOOKUP_VIEW_FULL" };
  const { answer, failure } = useJson<AddressAnswer>("GeoIpService/LookupIp", request);
  const { range = "", block = "" } = failure?.metadata ?? {};
  const words = answer && wordsOf(answer);
  return (
    <ResultCard
      tool="geoip"
      what="IP address"
      title={range !== "" ? range : (words?.title ?? "")}
      error={range === "" ? failure : undefined}
      mistake={NOT_AN_ADDRESS}
      link={{ href: panelHash("geoip", { value: address }), text: "Open in Geo IP" }}
      aside={answer && about && addressDataAge(about.sources)}
    >
      {range !== "" && (
        <>
          <div class="row heading home-title">
            <h2>{range}</h2>
          </div>
          <p>
            Addresses from {block} are for special purposes, and have no place. {failure?.metadata.reference}
          </p>
        </>
      )}
      {answer !== undefined && words !== undefined && <AddressFacts answer={answer} {...words} />}
    </ResultCard>
  );
}

function wordsOf({ ip, metadata: { location, details } }: AddressAnswer) {
  const words = placeWords({
    city: details?.city ?? "",
    region: details?.region ?? "",
    countryName: details?.country_name ?? "",
    country: location.country,
  });
  return words.title === "" ? { ...words, title: ip } : words;
}

interface AddressFactsProps {
  readonly answer: AddressAnswer;
  readonly title: string;
  readonly below: string;
}

function AddressFacts({ answer: { metadata }, title, below }: AddressFactsProps) {
  const { location, details, asn, asn_name: network } = metadata;
  const point = pointOf(metadata);
  return (
    <>
      <div class="row heading home-title">
        {location.country !== "" && <Flag code={location.country} isTile />}
        <div>
          <h2>{title}</h2>
          {below !== "" && <p class="soft">{below}</p>}
        </div>
      </div>
      <Facts
        facts={[["Network", network, asn === 0 ? undefined : `AS${asn}`], timeFact(details?.time_zone ?? "")]}
      />
      {point !== undefined && (
        <div class="home-map">
          <Loaded
            load={loadMap}
            props={{
              label: [title, below].filter(Boolean).join(", "),
              countries: location.country === "" ? [] : [location.country],
              points: [point],
            }}
          />
        </div>
      )}
    </>
  );
}
