import {
  GeoIpService,
  type IpMetadata,
  LookupIpRequestSchema,
  LookupView,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../../../failures/result.js";
import { addressDataAge, useAbout } from "../../kit/about.js";
import { useCall } from "../../kit/call.js";
import type { ShownError } from "../../kit/client.js";
import { ExampleButtons, PanelHeading, Prose } from "../../kit/content.js";
import { CopyLinkButton } from "../../kit/copy.js";
import { type Countries, Flag, useCountries } from "../../kit/country.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { Facts, timeFact } from "../../kit/fact-rows.js";
import { FormField, useForm } from "../../kit/form.js";
import { type PanelPlace, usePlace } from "../../kit/location.js";
import { placeWords } from "../../kit/place-words.js";
import { useAnnouncement } from "../../kit/session.js";
import { Tabs } from "../../kit/tabs.js";
import { titleOf } from "../../kit/text.js";
import { formatCoordinates, type GeoPoint } from "../../map/projection.js";
import { WorldMap } from "../../map/world-map.js";
import { panelHash } from "../../panels.js";
import { AddressList } from "./address-list.js";
import { EXAMPLE_ADDRESSES, pointOf, rfcLinks } from "./addresses.js";
import "./geoip.css";

const { lookupIp, lookupSelf } = GeoIpService.method;

const MODES = [
  { id: "one", title: "One address" },
  { id: "list", title: "List" },
] as const;

/** Looks up one address, by default the client's own, or a list of addresses. */
export function GeoIpPanel() {
  const place = usePlace("geoip");
  const isList = place.parameters.get("mode") === "list";
  const [hadList, setHadList] = useState(isList);
  useEffect(() => setHadList((had) => had || isList), [isList]);
  const countries = useCountries();
  return (
    <>
      <PanelHeading title="Geo IP" service={GeoIpService} />
      <div class="geoip bare-tabs">
        <Tabs
          label="Look up"
          tabs={MODES}
          selected={isList ? "list" : "one"}
          onSelect={(mode) => place.push(mode === "list" ? { parameters: { mode } } : {})}
        >
          {!isList && <AddressLookup place={place} countries={countries} />}
          {/* The list keeps its results while one address is shown. */}
          {(isList || hadList) && <AddressList isShown={isList} nameOf={countries.nameOf} />}
        </Tabs>
      </div>
    </>
  );
}

const SELF_REQUEST = { view: LookupView.FULL };

/** The address that is shown when the client's own has no location. */
const [EXAMPLE = ""] = EXAMPLE_ADDRESSES;

interface AddressLookupProps {
  readonly place: PanelPlace;
  readonly countries: Countries;
}

/** Looks up the address in the URL; without one, the client's own. */
function AddressLookup({ place, countries }: AddressLookupProps) {
  const address = place.value;
  const form = useForm(LookupIpRequestSchema, { ipAddress: address, view: "full" });
  const lookup = useCall(lookupIp);
  const self = useCall(lookupSelf);
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
      send({ ipAddress: address, view: LookupView.FULL });
    }
  }, [address, set, send, sendSelf]);

  const isExample = address === "" && own?.ok === false && own.failure.code === "NOT_FOUND";
  useEffect(() => {
    // A response that arrives while the user types does not replace the text.
    if (address === "" && own?.ok === true) {
      fill("ipAddress", own.value.message.ip);
    }
    if (isExample) {
      fill("ipAddress", EXAMPLE);
      send({ ipAddress: EXAMPLE, view: LookupView.FULL });
    }
  }, [address, own, isExample, fill, send]);

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
      send({ ipAddress, view: LookupView.FULL });
    } else {
      place.push({ value: ipAddress });
    }
  };
  const shown = address === "" && !isExample ? self : lookup;
  return (
    <div class="stack">
      <section class="card card-body" aria-label="Address">
        <form
          class="geoip-form"
          onSubmit={(event) => {
            event.preventDefault();
            lookUp(form.values.ipAddress ?? "");
          }}
        >
          <FormField form={form} name="ipAddress" violations={shown.violations} isCode />
          <div class="actions">
            <button type="submit">Look up</button>
            <button type="button" class="quiet" onClick={lookUpOwn}>
              My address
            </button>
          </div>
          <ExampleButtons label="Example addresses" examples={EXAMPLE_ADDRESSES} onPick={lookUp} />
        </form>
      </section>
      {isExample && <OwnAddressNote error={own.failure} />}
      <LookupResult outcome={shown.outcome} countries={countries} />
      {address === "" && <ExchangeView {...self} request={SELF_REQUEST} />}
      {shown === lookup && <ExchangeView {...lookup} request={form.request} />}
    </div>
  );
}

/** Why the client's own address has no location. The metadata of the error names its special-purpose range. */
function OwnAddressNote({ error }: { readonly error: ShownError }) {
  const { range = "", block = "" } = error.metadata;
  return (
    <section class="card card-body geoip-own" aria-label="Your address">
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

interface LookupResultProps {
  readonly outcome:
    | Result<{ readonly message: { readonly metadata?: IpMetadata | undefined } }, ShownError>
    | undefined;
  readonly countries: Countries;
}

/** The place of an address with its map and facts, or the reason why there are none. There is no map without a place. */
function LookupResult({ outcome, countries }: LookupResultProps) {
  const metadata = outcome?.ok === true ? outcome.value.message.metadata : undefined;
  const code = metadata?.location?.country ?? "";
  const point = metadata === undefined ? undefined : pointOf(metadata);
  const label = mapLabel(code === "" ? "" : countries.nameOf(code), point);
  const error = outcome?.ok === false ? outcome.failure : undefined;
  // ErrorView announces errors.
  useAnnouncement(metadata === undefined ? "" : `${metadata.ip}: ${label}`);
  if (error !== undefined && error.code !== "NOT_FOUND") {
    // The field shows what is wrong with it.
    return error.violations.length === 0 ? <ErrorView error={error} /> : null;
  }
  const hasMap = metadata === undefined ? error === undefined : code !== "" || point !== undefined;
  return (
    <section
      class={hasMap ? "card card-body geoip-result" : "card card-body"}
      aria-label="Location"
      aria-busy={outcome === undefined}
    >
      {metadata !== undefined && <PlaceHeading metadata={metadata} countryName={countries.nameOf(code)} />}
      {hasMap && (
        <WorldMap
          label={label}
          countries={code === "" ? [] : [code]}
          points={point === undefined ? [] : [point]}
        />
      )}
      {metadata !== undefined && <IpFacts metadata={metadata} countryName={countries.nameOf(code)} />}
      {error !== undefined && <NotFoundNote error={error} />}
    </section>
  );
}

function mapLabel(name: string, point: GeoPoint | undefined): string {
  const parts = [name, point === undefined ? "" : formatCoordinates(point)].filter((part) => part !== "");
  return parts.length === 0 ? "no location" : parts.join(", ");
}

interface PlaceProps {
  readonly metadata: IpMetadata;
  readonly countryName: string;
}

/** The place of an address as a heading: "Mountain View, California", and below it "United States (US)". */
function PlaceHeading({ metadata, countryName }: PlaceProps) {
  const { ip, location, details } = metadata;
  const country = location?.country ?? "";
  const { city = "", region = "" } = details ?? {};
  const { title, below } = placeWords({ city, region, countryName, country });
  return (
    <div class="geoip-place">
      {country !== "" && <Flag code={country} />}
      <div>
        <h2>{title === "" ? ip : title}</h2>
        {below !== "" && <p>{below}</p>}
      </div>
      <span class="code">{ip}</span>
      <CopyLinkButton hash={panelHash("geoip", { value: ip })} />
    </div>
  );
}

/** What is known of an address, with units, and the age of the data. */
function IpFacts({ metadata, countryName }: PlaceProps) {
  const { location, asn, asnName, subnet, details } = metadata;
  const about = useAbout();
  const country = location?.country ?? "";
  const point = pointOf(metadata);
  const radius = details?.accuracyRadiusKm ?? 0;
  const age = about === undefined ? "" : addressDataAge(about.sources);
  return (
    <div class="geoip-facts">
      <Facts
        facts={[
          [
            "Country",
            country === "" ? (
              ""
            ) : (
              <a href={panelHash("countries", { value: country })}>
                {countryName === country ? country : `${countryName} (${country})`}
              </a>
            ),
            location?.eu === true ? "in the EU" : "not in the EU",
          ],
          ["Region", details?.region ?? "", details?.regionCode],
          ["City", details?.city ?? "", details?.postalCode],
          ["Continent", details?.continent ?? ""],
          timeFact(details?.timeZone ?? ""),
          ["Calling code", details?.callingCode ?? ""],
          ["Currency", details?.currency ?? ""],
          [
            "Coordinates",
            point === undefined ? "" : formatCoordinates(point),
            radius === 0 ? undefined : `within ${radius.toLocaleString("en")} km`,
          ],
          // 0 means unknown.
          ["Network", asnName === "" && asn !== 0 ? `AS${asn}` : asnName, asn === 0 ? undefined : `AS${asn}`],
          ["Address range", subnet],
        ]}
      />
      {age !== "" && <p class="meta geoip-age">{age}</p>}
    </div>
  );
}

/** Why nothing is known about an address. The metadata of the error names its special-purpose range and the RFC. */
function NotFoundNote({ error }: { readonly error: Pick<ShownError, "message" | "metadata"> }) {
  return (
    <div class="geoip-facts">
      <p class="geoip-note">
        <Prose text={error.message} />
      </p>
      <dl class="fact-list">
        {Object.entries(error.metadata).map(([name, value]) => (
          <div key={name}>
            <dt>{titleOf(name)}</dt>
            <dd>
              {rfcLinks(value).map(({ text, href }, index) => (
                <span key={text}>
                  {index > 0 && "; "}
                  {href === undefined ? text : <a href={href}>{text}</a>}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
