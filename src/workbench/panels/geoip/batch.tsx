import {
  BatchLookupIpsRequestSchema,
  GeoIpService,
  IpDetailsSchema,
  IpLocationSchema,
  type IpLookup,
  IpLookupSchema,
  type IpMetadata,
  IpMetadataSchema,
  LookupView,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { useCall } from "../../kit/call.js";
import { type Countries, Flag } from "../../kit/country.js";
import { ExchangeView } from "../../kit/exchange.js";
import { FieldTable, FieldValue, fieldValueOf } from "../../kit/facts.js";
import { FieldNotes } from "../../kit/form.js";
import { useAnnouncement } from "../../kit/session.js";
import { fieldLabel } from "../../kit/text.js";
import { WorldMap } from "../../map/world-map.js";
import { EXAMPLE_ADDRESSES, pointOf, splitAddresses } from "./addresses.js";

const FIELD = BatchLookupIpsRequestSchema.field.ipAddresses;

/** Looks up several addresses: all of them on one map, and a table with one row each. */
export function BatchLookup({ countries }: { readonly countries: Countries }) {
  const id = useId();
  const [text, setText] = useState(EXAMPLE_ADDRESSES.join("\n"));
  const request = useMemo(() => ({ ipAddresses: splitAddresses(text), view: LookupView.FULL }), [text]);
  const call = useCall(GeoIpService.method.batchLookupIps);
  const { outcome, violations, send } = call;
  useEffect(() => send(request), [send]);

  const results = outcome?.ok === true ? outcome.value.message.results : undefined;
  const found = useMemo(
    () =>
      (results ?? []).flatMap(({ outcome: { case: kind, value } }) =>
        kind === "answer" && value.metadata !== undefined ? [value.metadata] : [],
      ),
    [results],
  );
  const codes = [...new Set(found.map(({ location }) => location?.country ?? ""))].filter(
    (code) => code !== "",
  );
  const label = `${found.length} of ${results?.length ?? 0} addresses, in ${codes.length} countries`;
  useAnnouncement(results === undefined ? "" : label);
  const { maxItems } = fieldDocsOf(FIELD);
  return (
    <div class="stack">
      <form
        class="card card-body"
        onSubmit={(event) => {
          event.preventDefault();
          send(request);
        }}
      >
        <div class="field">
          <div class="field-head">
            <label for={id}>{fieldLabel(FIELD)}</label>
            <span class={request.ipAddresses.length > maxItems ? "length too-long" : "length"}>
              {request.ipAddresses.length} / {maxItems.toLocaleString("en")}
            </span>
          </div>
          <textarea
            id={id}
            class="control code"
            rows={6}
            value={text}
            spellcheck={false}
            autocapitalize="off"
            aria-invalid={violations.length > 0}
            aria-describedby={`${id}-wrong ${id}-help`}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <FieldNotes field={FIELD} id={id} wrong={violations} />
        </div>
        <div class="actions">
          <button type="submit">Look up</button>
        </div>
      </form>
      {results !== undefined && (
        <section class="card card-body" aria-label="Locations">
          <WorldMap label={label} countries={codes} points={found.flatMap((one) => pointOf(one) ?? [])} />
          <BatchTable results={results} nameOf={countries.nameOf} />
        </section>
      )}
      <ExchangeView {...call} request={request} />
    </div>
  );
}

/** The fields of an address that the table shows after its country. */
const DETAIL_COLUMNS = [IpDetailsSchema.field.region, IpDetailsSchema.field.city];
const METADATA_COLUMNS = [IpMetadataSchema.field.asnName, IpMetadataSchema.field.subnet];
const COLUMNS = [...DETAIL_COLUMNS, ...METADATA_COLUMNS];

interface BatchTableProps {
  readonly results: readonly IpLookup[];
  readonly nameOf: Countries["nameOf"];
}

/** One row per address, with its metadata or its error. */
function BatchTable({ results, nameOf }: BatchTableProps) {
  return (
    <FieldTable
      fields={[IpLookupSchema.field.input, IpLocationSchema.field.country, ...COLUMNS]}
      name={{ text: "Results" }}
    >
      {results.map(({ input, outcome }, index) => (
        <tr key={index}>
          <th scope="row" class="code">
            {input}
          </th>
          {outcome.case === "answer" && outcome.value.metadata !== undefined && (
            <MetadataCells metadata={outcome.value.metadata} nameOf={nameOf} />
          )}
          {outcome.case === "error" && (
            <td class="table-error" colSpan={COLUMNS.length + 1}>
              {outcome.value.message}
            </td>
          )}
        </tr>
      ))}
    </FieldTable>
  );
}

function MetadataCells({
  metadata,
  nameOf,
}: {
  readonly metadata: IpMetadata;
  readonly nameOf: Countries["nameOf"];
}) {
  const code = metadata.location?.country ?? "";
  return (
    <>
      <td>
        {code === "" ? (
          <FieldValue field={IpLocationSchema.field.country} value={code} />
        ) : (
          <span class="geoip-cell">
            <Flag code={code} /> {nameOf(code)}
          </span>
        )}
      </td>
      {DETAIL_COLUMNS.map((field) => (
        <td key={field.localName}>
          <FieldValue field={field} value={fieldValueOf(metadata.details ?? {}, field)} />
        </td>
      ))}
      {METADATA_COLUMNS.map((field) => (
        <td key={field.localName}>
          <FieldValue field={field} value={fieldValueOf(metadata, field)} />
        </td>
      ))}
    </>
  );
}
