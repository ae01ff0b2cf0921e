import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { useState } from "preact/hooks";
import { PanelHeading } from "../../kit/panel-heading.js";
import { Tabs } from "../../kit/tabs.js";
import { useCountries } from "../countries/use-countries.js";
import { AddressLookup } from "./address-lookup.js";
import { BatchLookup } from "./batch-lookup.js";
import "../../kit/bare-tabs.css";
import "./geoip.css";

const MODES = [
  { id: "one", title: "One address" },
  { id: "several", title: "Several" },
] as const;

/** Where addresses are: one, one's own, or many at once. */
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
