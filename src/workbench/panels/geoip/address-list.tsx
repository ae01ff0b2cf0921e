import {
  BatchLookupIpsRequestSchema,
  GeoIpService,
  IpDetailsSchema,
  IpLocationSchema,
  IpMetadataSchema,
  LookupView,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { useMemo } from "preact/hooks";
import { type Countries, Flag } from "../../kit/country.js";
import { fieldLabel } from "../../kit/text.js";
import type { AnsweredList } from "../../list/answers.js";
import { ListLookup } from "../../list/list-lookup.js";
import type { ListColumn, ListTool } from "../../list/list-tool.js";
import { WorldMap } from "../../map/world-map.js";
import { IP_ADDRESS, panelHash } from "../../panels.js";
import { ADDRESS_COLUMNS, type AddressColumn, addressAnswers, mapOf } from "./address-answers.js";
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
  fileName: "geoip",
  method: batchLookupIps,
  field: BatchLookupIpsRequestSchema.field.ipAddresses,
  requestOf: (ipAddresses) => ({ ipAddresses: [...ipAddresses], view: LookupView.FULL }),
  answersOf: addressAnswers,
  kinds: [
    { id: "found", label: "found" },
    { id: "reserved", label: "reserved" },
    { id: "unknown", label: "without data" },
    { id: "invalid", label: "invalid" },
  ],
  invalidKind: "invalid",
  columns: ADDRESS_COLUMNS.map((name) => ({ name, ...SHOWN[name] })),
  examples: EXAMPLE_ADDRESSES,
  action: "Look up",
  inputLabel: "Address",
  showInput: (input, answer) =>
    answer.kind === "found" ? <a href={panelHash("geoip", { value: input })}>{input}</a> : undefined,
  looksRight: (text) => IP_ADDRESS.test(text),
  columnName: /^(ip|ip[ _-]?addr(ess)?|addr(ess)?|(client|remote|source|src)[ _-]?(ip|addr(ess)?))$/i,
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
      overview={(list) => <AddressMap list={list} nameOf={nameOf} />}
    />
  );
}

/** How many countries are listed beside the map. */
const MAX_COUNTRIES = 8;

interface AddressMapProps {
  readonly list: AnsweredList;
  readonly nameOf: Countries["nameOf"];
}

/** The addresses on a map, and the most frequent countries. */
function AddressMap({ list: { answers }, nameOf }: AddressMapProps) {
  const { points, counts } = useMemo(() => mapOf(answers), [answers]);
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
