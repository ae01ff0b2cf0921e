import type { ComponentType } from "preact";

/** A panel of the workbench. */
export interface Panel {
  /** Its place in the address: `#/otp`. */
  readonly id: string;
  /** What it is called in the navigation. */
  readonly title: string;
  /** Loads it when it is first shown. */
  readonly load: () => Promise<ComponentType>;
}

/**
 * The panels, in the order of the navigation; the first is the one that the page begins with.
 *
 * To add one: a component in `panels/<tool>/<tool>-panel.tsx`, and a line here. It has a `PanelHeading` with its service, a
 * `useForm` of a request and a `FormField` for each field, a `useCall` of a method, and an `Exchange` that shows both. Names,
 * help, limits and choices come from the schema, errors from the service. Styles are in a sheet beside the component.
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
    load: () => import("./panels/otp/otp-panel.js").then((module) => module.OtpPanel),
  },
  {
    id: "geoip",
    title: "Geo IP",
    load: () => import("./panels/geoip/geoip-panel.js").then((module) => module.GeoIpPanel),
  },
  {
    id: "countries",
    title: "Countries",
    load: () => import("./panels/countries/countries-panel.js").then((module) => module.CountriesPanel),
  },
  {
    id: "email",
    title: "E-mail",
    load: () => import("./panels/email/email-panel.js").then((module) => module.EmailPanel),
  },
  {
    id: "barcode",
    title: "Bar code",
    load: () => import("./panels/barcode/barcode-panel.js").then((module) => module.BarcodePanel),
  },
];
