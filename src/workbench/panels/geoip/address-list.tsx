import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { Facts } from "../../kit/answers/facts.js";
import { Flag } from "../../kit/answers/flag.js";
import { FULL_VIEW } from "../../kit/answers/place-words.js";
import { panelHash } from "../../kit/location.js";
import { type Countries, useCountries } from "../../kit/service/countries.js";
import { fieldLabel } from "../../kit/text.js";
import { ListLookup } from "../../list/list-lookup.js";
import type { ListColumn, ListTool } from "../../list/list-tool.js";
import { WorldMap } from "../../map/world-map.js";
import { methodAt } from "../../schema/method.js";
import { fieldOf, labelOf, messageNamed } from "../../schema/schema.js";
import type { AddressColumn, ListMap } from "./address-answers.js";
import { EXAMPLE_ADDRESSES } from "./addresses.js";

type Lookup = typeof GeoIpService.method.batchLookupIps;

const FIELD = fieldOf(messageNamed<Lookup["input"]>("BatchLookupIpsRequest"), "ipAddresses");

/** The batch look-up of addresses. */
const ADDRESSES: ListTool = {
  startWorker: () => new Worker(new URL("./address-worker.ts", import.meta.url), { type: "module" }),
  id: "geoip",
  command: "geoip --csv --file",
  method: methodAt<Lookup>("GeoIpService/BatchLookupIps"),
  maxItems: FIELD.maxItems,
  label: fieldLabel(FIELD),
  requestOf: (ipAddresses) =>
    ({ ipAddresses: [...ipAddresses], view: FULL_VIEW }) satisfies MessageInitShape<Lookup["input"]>,
  kinds: { found: "found", reserved: "reserved", unknown: "without data", invalid: "invalid" },
  shown: {
    country_name: {
      label: labelOf("country"),
      show: (name, { values: [code] }) => (
        <span class="cell">
          <Flag code={String(code)} /> {name}
        </span>
      ),
    },
    region: { label: labelOf("region") },
    city: { label: labelOf("city") },
    asn_name: { label: labelOf("asn_name") },
    subnet: { label: labelOf("subnet") },
  } satisfies Partial<Record<AddressColumn, ListColumn>>,
  examples: EXAMPLE_ADDRESSES,
  action: "Look up",
  inputLabel: "Address",
  showInput: (input, answer) =>
    answer.kind === "found" ? <a href={panelHash("geoip", { value: input })}>{input}</a> : undefined,
};

/** Looks up a list of addresses: all of them on one map, and a table with one row each. */
export function AddressList({ isShown }: { readonly isShown: boolean }) {
  const { nameOf } = useCountries();
  return (
    <ListLookup
      tool={ADDRESSES}
      isShown={isShown}
      overview={(map: ListMap) => <AddressMap map={map} nameOf={nameOf} />}
    />
  );
}

/** How many countries are listed beside the map. */
const MAX_COUNTRIES = 8;

interface AddressMapProps {
  readonly map: ListMap;
  readonly nameOf: Countries["nameOf"];
}

/** The addresses on a map, and the most frequent countries. */
function AddressMap({ map: { points, counts }, nameOf }: AddressMapProps) {
  if (counts.length === 0) {
    return null;
  }
  const label = `${counts.length} ${counts.length === 1 ? "country" : "countries"}`;
  return (
    <div class="columns geoip-result">
      <WorldMap label={label} countries={counts.map(([code]) => code)} points={points} />
      <div class="stack tight numbers">
        <h2 class="card-title">{label}</h2>
        <Facts
          facts={counts.slice(0, MAX_COUNTRIES).map(([code, count]) => [
            count.toLocaleString("en"),
            <span key={code} class="cell">
              <Flag code={code} /> {nameOf(code)}
            </span>,
          ])}
        />
      </div>
    </div>
  );
}
