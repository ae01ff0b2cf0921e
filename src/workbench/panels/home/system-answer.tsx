import type { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { CountryBars } from "../../kit/answers/country-bars.js";
import { Facts } from "../../kit/answers/facts.js";
import { panelHash } from "../../kit/location.js";
import { addressDataAge, useAbout } from "../../kit/service/about.js";
import { useAnswer } from "../../kit/service/call.js";
import { methodAt } from "../../schema/method.js";
import { ResultCard } from "./result-card.js";

const LOOKUP = methodAt<typeof GeoIpService.method.lookupAsn>("GeoIpService/LookupAsn");

/** How many networks of each family are named. */
const SHOWN_NETWORKS = 3;

/** The name of an autonomous system, its networks, and their countries. */
export function SystemResult({ text }: { readonly text: string }) {
  const about = useAbout();
  const { message, failure } = useAnswer(LOOKUP, { asn: text, limit: SHOWN_NETWORKS });
  const { range = "", reference } = failure?.metadata ?? {};
  const { asn, asnName = "", countries = [], largestIpv4 = [], largestIpv6 = [] } = message ?? {};
  const { ipv4Networks = 0, ipv4Addresses = 0, ipv6Networks = 0 } = message ?? {};
  const largest = [...largestIpv4, ...largestIpv6];
  const [first] = largest[0]?.split("/") ?? [];
  const name = asn === undefined ? range : `AS${asn}`;
  return (
    <ResultCard
      tool="geoip"
      what="Network operator"
      title={asnName || name}
      below={asnName === "" ? "" : name}
      error={range === "" ? failure : undefined}
      link={
        first === undefined
          ? { href: panelHash("geoip"), text: "Open Geo IP" }
          : { href: panelHash("geoip", { value: first }), text: "Open its first address in Geo IP" }
      }
      aside={message && about && addressDataAge(about.sources)}
    >
      {range !== "" && <p>No network operator has this number. {reference}</p>}
      <Facts
        facts={[
          [
            "IPv4",
            ipv4Networks === 0 ? "" : counted(ipv4Addresses, "address"),
            `in ${counted(ipv4Networks, "network")}`,
          ],
          ["IPv6", ipv6Networks === 0 ? "" : counted(ipv6Networks, "network")],
          [largest.length === 1 ? "Network" : "Largest networks", largest.join(", ")],
        ]}
      />
      <CountryBars
        label={ipv4Addresses === 0 ? "Networks" : "IPv4 addresses"}
        countries={countries.map((each) => ({
          code: each.country,
          amount: ipv4Addresses === 0 ? each.networks : each.ipv4Addresses,
        }))}
      />
    </ResultCard>
  );
}

/** `1 network`, `2 networks`, `2 addresses`. */
function counted(amount: number, noun: string): string {
  const plural = noun.endsWith("s") ? `${noun}es` : `${noun}s`;
  return `${amount.toLocaleString("en")} ${amount === 1 ? noun : plural}`;
}
