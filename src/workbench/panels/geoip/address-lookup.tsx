import { GeoIpService, LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { useEffect, useState } from "preact/hooks";
import { ExampleButtons } from "../../kit/example-buttons.js";
import { Exchange } from "../../kit/exchange.js";
import { FormField } from "../../kit/form-field.js";
import { exampleValues } from "../../kit/request-of.js";
import { useCall } from "../../kit/use-call.js";
import { useForm } from "../../kit/use-form.js";
import type { Countries } from "../countries/use-countries.js";
import { EXAMPLE_ADDRESSES } from "./example-addresses.js";
import { LookupResult } from "./lookup-result.js";

const { lookupIp, lookupSelf } = GeoIpService.method;

/** One address, or one's own: where it is on the map, and what is known of it. */
export function AddressLookup({ countries }: { readonly countries: Countries }) {
  const form = useForm(LookupIpRequestSchema, exampleValues(LookupIpRequestSchema));
  const [isSelf, setSelf] = useState(false);
  const lookup = useCall(lookupIp);
  const self = useCall(lookupSelf);
  const { send } = lookup;
  useEffect(() => send(form.request), [send]);

  const look = (request: { ipAddress?: string }) => {
    setSelf(false);
    send(request);
  };
  const outcome = isSelf ? self.outcome : lookup.outcome;
  return (
    <div class="stack">
      <section class="card card-body" aria-label="Address">
        <form
          class="geoip-form"
          onSubmit={(event) => {
            event.preventDefault();
            look(form.request);
          }}
        >
          <FormField form={form} name="ipAddress" violations={isSelf ? [] : lookup.violations} isCode />
          <div class="actions">
            <button type="submit">Look up</button>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                setSelf(true);
                self.send({});
              }}
            >
              My address
            </button>
          </div>
          <ExampleButtons
            label="Example addresses"
            examples={EXAMPLE_ADDRESSES}
            onPick={(ipAddress) => {
              form.set("ipAddress", ipAddress);
              look({ ipAddress });
            }}
          />
        </form>
      </section>
      <LookupResult outcome={outcome} countries={countries} />
      <div class={outcome?.ok === false && outcome.failure.code === "NOT_FOUND" ? "geoip-absent" : ""}>
        {isSelf ? (
          <Exchange method={lookupSelf} request={NOTHING} outcome={self.outcome} isLoading={self.isLoading} />
        ) : (
          <Exchange
            method={lookupIp}
            request={form.request}
            outcome={lookup.outcome}
            isLoading={lookup.isLoading}
          />
        )}
      </div>
    </div>
  );
}

const NOTHING = {};
