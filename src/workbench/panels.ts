import type { SERVICES } from "@utility-tools/protos/services.js";
import type { ComponentType } from "preact";
import { parsePlace } from "./kit/location.js";

/** A panel of the page. */
export interface Panel {
  /** The hash of its URL: `otp` for `#/otp`. */
  readonly id: string;
  /** Its label in the navigation. */
  readonly title: string;
  /** The service that it shows, by its name in `SERVICES`. The overview has a card for each panel with a service. */
  readonly service?: keyof typeof SERVICES;
  /** Loads the component. Called when the panel is first shown. */
  readonly load: () => Promise<ComponentType>;
}

/**
 * All panels in the order of the navigation. The page opens the first one by default.
 *
 * To add one, write a component `panels/<tool>/<tool>-panel.tsx`, an entry here, and a visit `test/browser/visits/<id>.mjs`. A
 * typical panel consists of a `PanelHeading` for its service, a `useForm` with a `FormField` per field, a `useCall` of a method,
 * and an `ExchangeView` that shows request and response. Labels, help, limits and choices come from the schema, errors from the
 * service. `usePlace` keeps the input in the URL, so that it can be shared. The key `/` focuses the field with the attribute
 * `data-search`. Styles are in a CSS file next to the component.
 */
export const PANELS: readonly Panel[] = [
  {
    id: "overview",
    title: "Overview",
    load: () => import("./panels/overview/overview-panel.js").then((module) => module.OverviewPanel),
  },
  {
    id: "otp",
    title: "One-time passwords",
    service: "otp",
    load: () => import("./panels/otp/otp-panel.js").then((module) => module.OtpPanel),
  },
  {
    id: "geoip",
    title: "Geo IP",
    service: "geoIp",
    load: () => import("./panels/geoip/geoip-panel.js").then((module) => module.GeoIpPanel),
  },
  {
    id: "countries",
    title: "Countries",
    service: "countries",
    load: () => import("./panels/countries/countries-panel.js").then((module) => module.CountriesPanel),
  },
  {
    id: "email",
    title: "E-mail",
    service: "email",
    load: () => import("./panels/email/email-panel.js").then((module) => module.EmailPanel),
  },
  {
    id: "barcode",
    title: "Bar code",
    service: "barcode",
    load: () => import("./panels/barcode/barcode-panel.js").then((module) => module.BarcodePanel),
  },
];

/** Returns the panel for a URL hash; undefined if there is none. */
export function panelOf(hash: string): Panel | undefined {
  const place = parsePlace(hash);
  return PANELS.find((panel) => panel.id === place?.panel);
}
