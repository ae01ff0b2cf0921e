import type { GeoIpService, LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { useEffect, useRef } from "preact/hooks";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { FULL_VIEW } from "../../kit/answers/place-words.js";
import { ExampleButtons, PanelHeading } from "../../kit/content.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { FormField, useForm } from "../../kit/form/form.js";
import { type PanelPlace, usePlace } from "../../kit/location.js";
import { useCall } from "../../kit/service/call.js";
import type { ShownError } from "../../kit/service/errors.js";
import { OneOrList } from "../../list/one-or-list.js";
import { useListPaste } from "../../list/use-list-paste.js";
import { methodAt } from "../../schema/method.js";
import { messageNamed } from "../../schema/schema.js";
import { LookupResult } from "./address-result.js";
import { EXAMPLE_ADDRESSES } from "./addresses.js";
import "./geoip.css";

const LOOKUP = methodAt<typeof GeoIpService.method.lookupIp>("GeoIpService/LookupIp");
const LOOKUP_SELF = methodAt<typeof GeoIpService.method.lookupSelf>("GeoIpService/LookupSelf");
const REQUEST = messageNamed<typeof LookupIpRequestSchema>("LookupIpRequest");

const loadList = () => import("./address-list.js").then(({ AddressList }) => AddressList);

/** Looks up one address, by default the client's own, or a list of addresses. */
export function GeoIpPanel() {
  const place = usePlace("geoip");
  return (
    <>
      <PanelHeading
        title="Geo IP"
        about="Where an address is, and whose network it is in. No address leaves this service."
        value={place.value}
      />
      <OneOrList place={place} label="Look up" one="One address" loadList={loadList}>
        {(isShown) => isShown && <AddressLookup place={place} />}
      </OneOrList>
    </>
  );
}

const SELF_REQUEST = { view: FULL_VIEW };

/** The address that is shown when the client's own has no location. */
const [EXAMPLE = ""] = EXAMPLE_ADDRESSES;

/** Looks up the address in the URL; without one, the client's own. */
function AddressLookup({ place }: { readonly place: PanelPlace }) {
  const address = place.value;
  const form = useForm(REQUEST, { ipAddress: address, view: "full" });
  const lookup = useCall(LOOKUP);
  const self = useCall(LOOKUP_SELF);
  const { set, fill } = form;
  const { send } = lookup;
  const { send: sendSelf, outcome: own } = self;
  const shownAddress = useRef(address);
  useEffect(() => {
    // The form begins with the address. Effects run after the first rendering, when the user may have typed.
    if (shownAddress.current !== address) {
      shownAddress.current = address;
      set("ipAddress", address);
    }
    if (address === "") {
      sendSelf(SELF_REQUEST);
    } else {
      send({ ipAddress: address, view: FULL_VIEW });
    }
  }, [address, set, send, sendSelf]);

  const isExample = address === "" && self.failure?.code === "NOT_FOUND";
  useEffect(() => {
    // A response that arrives while the user types does not replace the text.
    if (address === "" && self.message !== undefined) {
      fill("ipAddress", self.message.ip);
    }
    if (isExample) {
      fill("ipAddress", EXAMPLE);
      send({ ipAddress: EXAMPLE, view: FULL_VIEW });
    }
  }, [address, own, isExample, fill, send]);

  const onPaste = useListPaste(place, "geoip");
  const lookUpOwn = () => {
    set("ipAddress", "");
    if (address === "") {
      sendSelf(SELF_REQUEST);
    } else {
      place.push({});
    }
  };
  const lookUp = (ipAddress: string) => {
    if (ipAddress === address) {
      send({ ipAddress, view: FULL_VIEW });
    } else {
      place.push({ value: ipAddress });
    }
  };
  const shown = address === "" && !isExample ? self : lookup;
  const typed = (form.values.ipAddress ?? "").trim();
  const isTyping = typed !== (address || (isExample ? EXAMPLE : (self.message?.ip ?? "")));
  return (
    <div class="stack">
      <section class="card card-body" aria-label="Address">
        <form
          class="columns geoip-form"
          onSubmit={(event) => {
            event.preventDefault();
            lookUp(typed);
          }}
        >
          <FormField
            form={form}
            name="ipAddress"
            help=""
            violations={isTyping ? [] : shown.violations}
            isCode
            onPaste={onPaste}
          />
          <div class="actions">
            <button type="submit">Look up</button>
            <button type="button" class="quiet" onClick={lookUpOwn}>
              My address
            </button>
          </div>
          <ExampleButtons label="Example addresses" examples={EXAMPLE_ADDRESSES} onPick={lookUp} />
        </form>
      </section>
      {isExample && self.failure !== undefined && <OwnAddressNote error={self.failure} />}
      <AnswerPlace
        isWaiting={isTyping || shown.outcome === undefined}
        hint={isTyping && typed !== "" ? "Press Enter to look it up." : undefined}
      >
        <LookupResult metadata={shown.message?.metadata} error={shown.failure} />
      </AnswerPlace>
      {address === "" && <ExchangeView {...self} request={SELF_REQUEST} />}
      {shown === lookup && <ExchangeView {...lookup} request={form.request} />}
    </div>
  );
}

/** Why the client's own address has no location. The metadata of the error names its special-purpose range. */
function OwnAddressNote({ error }: { readonly error: ShownError }) {
  const { range = "", block = "" } = error.metadata;
  return (
    <section class="card card-body" aria-label="Your address">
      <p>
        {error.reason !== "RESERVED_ADDRESS" ? (
          <strong>Nothing is known about your address.</strong>
        ) : (
          <>
            <strong>
              {range === "Loopback"
                ? "You are on the same computer as this service."
                : "You are on a private network."}
            </strong>{" "}
            Your address is in the range {block}, which has no location.
          </>
        )}{" "}
        Here is {EXAMPLE} as an example.
      </p>
    </section>
  );
}
