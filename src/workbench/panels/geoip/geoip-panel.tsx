import type { GeoIpService, LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { useEffect, useRef, useState } from "preact/hooks";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { FULL_VIEW } from "../../kit/answers/place-words.js";
import { ExampleButtons, PanelHeading } from "../../kit/content.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { FormField, useForm } from "../../kit/form/form.js";
import { Loaded } from "../../kit/loaded.js";
import { type PanelPlace, usePlace } from "../../kit/location.js";
import { OWN_NETWORKS, ownNetwork } from "../../kit/own-network.js";
import { useCall } from "../../kit/service/call.js";
import type { ShownError } from "../../kit/service/errors.js";
import { OneOrList } from "../../list/one-or-list.js";
import { useListPaste, useOpenList } from "../../list/use-list-paste.js";
import { methodAt } from "../../schema/method.js";
import { messageNamed } from "../../schema/schema.js";
import { addressLookup, readingOf } from "../home/reading.js";
import { LookupResult } from "./address-result.js";
import { EXAMPLE_ADDRESSES } from "./addresses.js";
import "./geoip.css";

const LOOKUP = methodAt<typeof GeoIpService.method.lookupIp>("GeoIpService/LookupIp");
const LOOKUP_SELF = methodAt<typeof GeoIpService.method.lookupSelf>("GeoIpService/LookupSelf");
const REQUEST = messageNamed<typeof LookupIpRequestSchema>("LookupIpRequest");

const loadNetwork = () => import("../home/network-answer.js").then(({ NetworkResult }) => NetworkResult);
const loadSystem = () => import("../home/system-answer.js").then(({ SystemResult }) => SystemResult);

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

/** Looks up the address, the network or the operator in the URL; without one, the client's own address. */
function AddressLookup({ place }: { readonly place: PanelPlace }) {
  const address = place.value;
  const form = useForm(REQUEST, { ipAddress: address, view: "full" });
  const lookup = useCall(LOOKUP);
  const self = useCall(LOOKUP_SELF);
  const openList = useOpenList();
  const { replace } = place;
  const { set, fill } = form;
  const { send } = lookup;
  const { send: sendSelf, outcome: own } = self;
  const network = ownNetwork(location.hostname);
  const reading = readingOf(address);
  const isAddress = reading.kind === "ip" && reading.text === address;
  /** What was entered, and why it is not looked up. */
  const [rejected, setRejected] = useState({ text: "", problem: "" });
  /** Passes on the address or the network that a text means; otherwise opens its list, or says what is wrong. */
  const take = (text: string, onValue: (value: string) => void) => {
    const found = addressLookup(text);
    if ("problem" in found) {
      setRejected({ text, problem: found.problem });
    } else if ("list" in found) {
      openList(found.list);
    } else {
      onValue(found.value);
    }
  };
  const shownAddress = useRef(address);
  useEffect(() => {
    // The form begins with the address. Effects run after the first rendering, when the user may have typed.
    if (shownAddress.current !== address) {
      shownAddress.current = address;
      set("ipAddress", address);
    }
    if (isAddress) {
      send({ ipAddress: address, view: FULL_VIEW });
    } else if (address === "" && network === undefined) {
      sendSelf(SELF_REQUEST);
    } else if (address !== "") {
      // A link can have any text.
      take(address, (value) => value !== address && replace({ value }));
    }
  }, [address, isAddress, network, set, send, sendSelf, replace]);

  const isExample = address === "" && (network !== undefined || self.failure?.code === "NOT_FOUND");
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

  const onPaste = useListPaste("geoip");
  const lookUpOwn = () => {
    set("ipAddress", network === undefined ? "" : EXAMPLE);
    if (address !== "") {
      place.push({});
    } else if (network === undefined) {
      sendSelf(SELF_REQUEST);
    }
  };
  const lookUp = (text: string) =>
    take(text, (value) => {
      set("ipAddress", value);
      if (value === address && isAddress) {
        send({ ipAddress: address, view: FULL_VIEW });
      } else {
        place.push({ value });
      }
    });
  const shown = address === "" && !isExample ? self : lookup;
  const typed = (form.values.ipAddress ?? "").trim();
  const isTyping = typed !== (address || (isExample ? EXAMPLE : (self.message?.ip ?? "")));
  const isRejected = typed !== "" && typed === rejected.text;
  const { problem } = rejected;
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
            violations={
              isRejected
                ? [{ field: "ip_address", reason: "", description: problem }]
                : isTyping
                  ? []
                  : shown.violations
            }
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
      {isExample && <OwnAddressNote network={network} failure={self.failure} />}
      {reading.kind === "network" && !isTyping ? (
        <Loaded load={loadNetwork} props={{ network: reading.network }} />
      ) : reading.kind === "asn" && !isTyping ? (
        <Loaded load={loadSystem} props={{ text: reading.text }} />
      ) : (
        <AnswerPlace
          isWaiting={isTyping || isRejected || shown.outcome === undefined}
          hint={isRejected ? "" : isTyping && typed !== "" ? "Press Enter to look it up." : undefined}
        >
          <LookupResult metadata={shown.message?.metadata} error={shown.failure} />
        </AnswerPlace>
      )}
      {address === "" && network === undefined && <ExchangeView {...self} request={SELF_REQUEST} />}
      {shown === lookup && reading.kind !== "network" && reading.kind !== "asn" && (
        <ExchangeView {...lookup} request={form.request} />
      )}
    </div>
  );
}

interface OwnAddressNoteProps {
  readonly network: ReturnType<typeof ownNetwork>;
  /** Why the look-up failed, if there was one. Its metadata names the special-purpose range. */
  readonly failure: ShownError | undefined;
}

/** Why the client's own address has no location. */
function OwnAddressNote({ network, failure }: OwnAddressNoteProps) {
  const { range = "", block = "" } = failure?.metadata ?? {};
  const found = network ?? (range === "Loopback" ? "computer" : block === "" ? undefined : "network");
  return (
    <section class="card card-body" aria-label="Your address">
      <p>
        <strong>{found === undefined ? "Nothing is known about your address." : OWN_NETWORKS[found]}</strong>{" "}
        {found !== undefined &&
          `Your address has no location${block === "" ? "" : `: it is in the range ${block}`}. `}
        Here is {EXAMPLE} as an example.
      </p>
    </section>
  );
}
