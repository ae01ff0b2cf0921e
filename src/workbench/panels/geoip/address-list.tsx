import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { CountryBars, countryCount } from "../../kit/answers/country-bars.js";
import { Flag } from "../../kit/answers/flag.js";
import { FULL_VIEW } from "../../kit/answers/place-words.js";
import { panelHash } from "../../kit/location.js";
import { fieldLabel } from "../../kit/text.js";
import { ListLookup } from "../../list/list-lookup.js";
import type { ListColumn, ListTool } from "../../list/list-tool.js";
import { Legend } from "../../map/legend.js";
import { WorldMap } from "../../map/world-map.js";
import { methodAt } from "../../schema/method.js";
import { fieldOf, labelOf, messageNamed } from "../../schema/schema.js";
import { shadesOf } from "../countries/shades.js";
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

/** Looks up a list of addresses: all of them on one map, with their countries, and a table with one row each. */
export function AddressList({ isShown }: { readonly isShown: boolean }) {
  return (
    <ListLookup tool={ADDRESSES} isShown={isShown} overview={(map: ListMap) => <AddressMap map={map} />} />
  );
}

/** The addresses on a map that is shaded by their numbers, and the countries with them. */
function AddressMap({ map: { points, countries } }: { readonly map: ListMap }) {
  if (countries.length === 0) {
    return null;
  }
  const shades = shadesOf(countries);
  return (
    <div class="columns geoip-result">
      <div>
        <WorldMap
          label={countryCount(countries.length)}
          countries={[]}
          points={points}
          shades={shades.map(({ codes }) => codes)}
        />
        <Legend unit="Rows" shades={shades} />
      </div>
      <CountryBars label="Rows" countries={countries} />
    </div>
  );
}
