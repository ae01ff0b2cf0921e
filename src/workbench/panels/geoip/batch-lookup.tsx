import { BatchLookupIpsRequestSchema, GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { commentOf } from "../../kit/comments.js";
import { Exchange } from "../../kit/exchange.js";
import { fieldLabel } from "../../kit/field-text.js";
import { Prose } from "../../kit/prose.js";
import { useAnnouncement } from "../../kit/use-announcement.js";
import { useCall } from "../../kit/use-call.js";
import { WorldMap } from "../../map/world-map.js";
import type { Countries } from "../countries/use-countries.js";
import { BatchTable } from "./batch-table.js";
import { EXAMPLE_ADDRESSES } from "./example-addresses.js";
import { pointOf } from "./point-of.js";
import { splitAddresses } from "./split-addresses.js";

const { batchLookupIps } = GeoIpService.method;
const FIELD = BatchLookupIpsRequestSchema.field.ipAddresses;

/** Many addresses at once: all of them on one map, and what is known of each in a table. */
export function BatchLookup({ countries }: { readonly countries: Countries }) {
  const id = useId();
  const [text, setText] = useState(EXAMPLE_ADDRESSES.join("\n"));
  const request = useMemo(() => ({ ipAddresses: splitAddresses(text) }), [text]);
  const { outcome, isLoading, violations, send } = useCall(batchLookupIps);
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
          <p id={`${id}-wrong`} class="wrong">
            {violations.map(({ description }) => description).join("; ")}
          </p>
          <p id={`${id}-help`} class="help">
            <Prose text={commentOf(FIELD)} />
          </p>
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
      <Exchange method={batchLookupIps} request={request} outcome={outcome} isLoading={isLoading} />
    </div>
  );
}
