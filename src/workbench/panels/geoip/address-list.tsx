import {
  BatchLookupIpsRequestSchema,
  GeoIpService,
  IpDetailsSchema,
  IpLocationSchema,
  IpMetadataSchema,
  LookupView,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { Flag } from "../../kit/answers/flag.js";
import type { Countries } from "../../kit/service/countries.js";
import { fieldLabel } from "../../kit/text.js";
import { ListLookup } from "../../list/list-lookup.js";
import type { ListColumn, ListTool } from "../../list/list-tool.js";
import { WorldMap } from "../../map/world-map.js";
import { panelHash } from "../../panels.js";
import { ADDRESS_COLUMNS, type AddressColumn, type ListMap } from "./address-answers.js";
import { EXAMPLE_ADDRESSES } from "./addresses.js";

/** The columns of the table. The others are only in downloads. */
const SHOWN: Partial<Record<string, Omit<ListColumn, "name">>> = {
  country_name: {
    label: fieldLabel(IpLocationSchema.field.country),
    show: (name, [code]) => (
      <span class="geoip-cell">
        <Flag code={String(code)} /> {name}
      </span>
    ),
  },
  region: { label: fieldLabel(IpDetailsSchema.field.region) },
  city: { label: fieldLabel(IpDetailsSchema.field.city) },
  asn_name: { label: fieldLabel(IpMetadataSchema.field.asnName) },
  subnet: { label: fieldLabel(IpMetadataSchema.field.subnet) },
} satisfies Partial<Record<AddressColumn, Omit<ListColumn, "name">>>;

const { batchLookupIps } = GeoIpService.method;

/** The batch look-up of addresses. */
const ADDRESSES: ListTool<typeof batchLookupIps.input, typeof batchLookupIps.output> = {
  startWorker: () => new Worker(new URL("./address-worker.ts", import.meta.url), { type: "module" }),
  command: "geoip",
  method: batchLookupIps,
  field: BatchLookupIpsRequestSchema.field.ipAddresses,
  requestOf: (ipAddresses) => ({ ipAddresses: [...ipAddresses], view: LookupView.FULL }),
  kinds: [
    { id: "found", label: "found" },
    { id: "reserved", label: "reserved" },
    { id: "unknown", label: "without data" },
    { id: "invalid", label: "invalid" },
  ],
  columns: ADDRESS_COLUMNS.map((name) => ({ name, ...SHOWN[name] })),
  examples: EXAMPLE_ADDRESSES,
  action: "Look up",
  inputLabel: "Address",
  showInput: (input, answer) =>
    answer.kind === "found" ? <a href={panelHash("geoip", { value: input })}>{input}</a> : undefined,
};

/** Looks up a list of addresses: all of them on one map, and a table with one row each. */
export function AddressList({
  isShown,
  nameOf,
}: Pick<AddressMapProps, "nameOf"> & { readonly isShown: boolean }) {
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
    <div class="geoip-overview">
      <WorldMap label={label} countries={counts.map(([code]) => code)} points={points} />
      <div>
        <h2 class="card-title">{label}</h2>
        <ol class="geoip-counts">
          {counts.slice(0, MAX_COUNTRIES).map(([code, count]) => (
            <li key={code}>
              <span class="geoip-cell">
                <Flag code={code} /> {nameOf(code)}
              </span>
              <span>{count.toLocaleString("en")}</span>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}
