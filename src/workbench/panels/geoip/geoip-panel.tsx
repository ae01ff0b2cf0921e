import {
  GeoIpService,
  type IpDetails,
  IpDetailsSchema,
  IpLocationSchema,
  type IpMetadata,
  IpMetadataSchema,
  LookupIpRequestSchema,
  LookupView,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { useEffect, useState } from "preact/hooks";
import type { Result } from "../../../result.js";
import { useCall } from "../../kit/call.js";
import type { ShownError } from "../../kit/client.js";
import { ExampleButtons, PanelHeading, Prose } from "../../kit/content.js";
import { CopyLinkButton } from "../../kit/copy.js";
import { type Countries, Flag, useCountries } from "../../kit/country.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { FactList, NoValue } from "../../kit/facts.js";
import { FormField, useForm } from "../../kit/form.js";
import { usePlace } from "../../kit/location.js";
import { useAnnouncement } from "../../kit/session.js";
import { Tabs } from "../../kit/tabs.js";
import { titleOf } from "../../kit/text.js";
import { formatCoordinates, type GeoPoint } from "../../map/projection.js";
import { WorldMap } from "../../map/world-map.js";
import { EXAMPLE_ADDRESSES, pointOf, rfcLinks } from "./addresses.js";
import { BatchLookup } from "./batch.js";
import "./geoip.css";

const { lookupIp, lookupSelf } = GeoIpService.method;

const MODES = [
  { id: "one", title: "One address" },
  { id: "several", title: "Several" },
] as const;

/** Looks up one address, the client's own address, or several at once. */
export function GeoIpPanel() {
  const [mode, setMode] = useState<string>("one");
  const countries = useCountries();
  return (
    <>
      <PanelHeading title="Geo IP" service={GeoIpService} />
      <div class="geoip bare-tabs">
        <Tabs label="Look up" tabs={MODES} selected={mode} onSelect={setMode}>
          {mode === "one" ? <AddressLookup countries={countries} /> : <BatchLookup countries={countries} />}
        </Tabs>
      </div>
    </>
  );
}

const SELF_REQUEST = { view: LookupView.FULL };

/** The address that is shown when the URL has none. */
const [EXAMPLE = ""] = EXAMPLE_ADDRESSES;

/** Looks up one address, typed or the client's own. The URL has the typed one. */
function AddressLookup({ countries }: { readonly countries: Countries }) {
  const place = usePlace("geoip");
  const address = place.value || EXAMPLE;
  const form = useForm(LookupIpRequestSchema, { ipAddress: address, view: "full" });
  const [isSelf, setSelf] = useState(false);
  const lookup = useCall(lookupIp);
  const self = useCall(lookupSelf);
  const { send } = lookup;
  const { set } = form;
  useEffect(() => {
    set("ipAddress", address);
    setSelf(false);
    send({ ipAddress: address, view: LookupView.FULL });
  }, [address, set, send]);

  const lookUp = (ipAddress: string) => {
    if (ipAddress === address) {
      setSelf(false);
      send({ ipAddress, view: LookupView.FULL });
    } else {
      place.push({ value: ipAddress });
    }
  };
  const { outcome, violations } = isSelf ? self : lookup;
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
          <FormField form={form} name="ipAddress" violations={violations} isCode />
          <div class="actions">
            <button type="submit">Look up</button>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                setSelf(true);
                self.send(SELF_REQUEST);
              }}
            >
              My address
            </button>
          </div>
          <ExampleButtons label="Example addresses" examples={EXAMPLE_ADDRESSES} onPick={lookUp} />
        </form>
      </section>
      <LookupResult outcome={outcome} countries={countries} />
      {isSelf ? (
        <ExchangeView {...self} request={SELF_REQUEST} />
      ) : (
        <ExchangeView {...lookup} request={form.request} />
      )}
    </div>
  );
}

interface LookupResultProps {
  readonly outcome:
    | Result<{ readonly message: { readonly metadata?: IpMetadata | undefined } }, ShownError>
    | undefined;
  readonly countries: Countries;
}

/** The map with the facts of an address, or with the reason why there are none. */
function LookupResult({ outcome, countries }: LookupResultProps) {
  const metadata = outcome?.ok === true ? outcome.value.message.metadata : undefined;
  const code = metadata?.location?.country ?? "";
  const point = metadata === undefined ? undefined : pointOf(metadata);
  const label = mapLabel(code === "" ? "" : countries.nameOf(code), point);
  const error = outcome?.ok === false ? outcome.failure : undefined;
  const isUnexplained = error !== undefined && error.code !== "NOT_FOUND" && error.violations.length === 0;
  // ErrorView announces errors.
  useAnnouncement(metadata === undefined ? "" : `${metadata.ip}: ${label}`);
  if (isUnexplained) {
    return <ErrorView error={error} />;
  }
  return (
    <section class="card card-body geoip-result" aria-label="Location">
      <WorldMap
        label={label}
        countries={code === "" ? [] : [code]}
        points={point === undefined ? [] : [point]}
      />
      {metadata !== undefined && <IpFacts metadata={metadata} countryName={countries.nameOf(code)} />}
      {error?.code === "NOT_FOUND" && <NotFoundNote error={error} />}
    </section>
  );
}

function mapLabel(name: string, point: GeoPoint | undefined): string {
  const parts = [name, point === undefined ? "" : formatCoordinates(point)].filter((part) => part !== "");
  return parts.length === 0 ? "no location" : parts.join(", ");
}

/** The details in the order of the page, which omits those that are unknown. */
const DETAILS: readonly (keyof IpDetails & string)[] = [
  "city",
  "postalCode",
  "region",
  "regionCode",
  "continent",
  "timeZone",
  "accuracyRadiusKm",
];

/** The country of an address as a heading, and the other fields as a list. */
function IpFacts({ metadata, countryName }: { readonly metadata: IpMetadata; readonly countryName: string }) {
  const { location, asn, details } = metadata;
  const point = pointOf(metadata);
  return (
    <div class="geoip-facts">
      <div class="geoip-country">
        <h2>
          {location !== undefined && location.country !== "" ? (
            <>
              <Flag code={location.country} /> {countryName}
            </>
          ) : (
            metadata.ip
          )}
        </h2>
        <CopyLinkButton />
      </div>
      {location !== undefined && (
        <FactList desc={IpLocationSchema} message={location} fields={["country", "eu"]} />
      )}
      {details !== undefined && (
        <FactList
          desc={IpDetailsSchema}
          message={details}
          fields={DETAILS.filter((name) => details[name] !== "" && details[name] !== 0)}
        />
      )}
      <FactList
        desc={IpMetadataSchema}
        message={metadata}
        fields={["asnName", "asn", "subnet", "coords", "ip"]}
        show={{
          // 0 means unknown.
          asn: () => (asn === 0 ? <NoValue /> : `AS${asn}`),
          coords: () => (point === undefined ? <NoValue /> : `${point.lat}, ${point.lon}`),
        }}
      />
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
