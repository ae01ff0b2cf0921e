import type { SERVICES } from "@utility-tools/protos/services.js";
import type { ComponentType } from "preact";
import { kindOfInput } from "../text/recognize-input.js";
import { type PlaceState, parsePlace } from "./kit/location.js";

/** The properties of every panel. */
interface PanelProps {
  /** The panels of tools. */
  readonly tools: readonly Panel[];
}

/** A panel of the page. */
export interface Panel {
  /** The hash of its URL: `otp` for `#/otp`. */
  readonly id: string;
  /** Its label in the navigation, one or two short words. */
  readonly title: string;
  /** Its label where there is little room; at most 9 characters. Default: the title. */
  readonly short?: string;
  /** What it is for, in at most 28 characters: one line of a tile. */
  readonly about: string;
  /** The service that it shows, by its name in `SERVICES`. The home and the navigation list each panel with a service. */
  readonly service?: keyof typeof SERVICES;
  /** Other words that find the panel in the palette. */
  readonly words: string;
  /** Returns the place that looks up a text from the palette; undefined if the text is nothing for this panel. */
  readonly placeOf?: (text: string) => PlaceState | undefined;
  /** Loads the component. Called when the panel is first shown. */
  readonly load: () => Promise<ComponentType<PanelProps>>;
}

/**
 * All panels in the order of the navigation. The page opens the first one by default.
 *
 * To add one, write a component `panels/<tool>/<tool>-panel.tsx`, an entry here, and a visit `checks/browser/visits/<id>.mjs`. A
 * typical panel consists of a `PanelHeading`, a `useForm` with a `FormField` per field, a `useAnswer` of a method,
 * and an `ExchangeView` that shows request and response. Labels, limits and choices come from the schema, by
 * `schema/schema.json`, which its test writes; errors come from the service. A panel imports only types of generated code, because the
 * page loads its descriptors only with the drawer. `usePlaceForm` keeps the input in the URL, so that it can be shared. The key `/` focuses the first text field, or the
 * one with the attribute `data-search`. Styles are in a CSS file next to the component.
 */
export const PANELS: readonly Panel[] = [
  {
    id: "home",
    title: "Home",
    about: "Look up anything",
    words: "overview start",
    load: () => import("./panels/home/home-panel.js").then((module) => module.HomePanel),
  },
  {
    id: "otp",
    title: "One-time passwords",
    short: "Passwords",
    about: "Codes for two-factor sign-in",
    service: "otp",
    words: "otp totp 2fa two factor authenticator secret code",
    load: () => import("./panels/otp/otp-panel.js").then((module) => module.OtpPanel),
  },
  {
    id: "geoip",
    title: "Geo IP",
    about: "Place and network of an IP",
    service: "geoIp",
    words: "ip address location map network asn",
    placeOf: (text) => (kindOfInput(text) === "ip" ? { value: text } : undefined),
    load: () => import("./panels/geoip/geoip-panel.js").then((module) => module.GeoIpPanel),
  },
  {
    id: "countries",
    title: "Countries",
    about: "Codes, currencies, languages",
    service: "countries",
    words: "country states flags currencies calling codes",
    load: () => import("./panels/countries/countries-panel.js").then((module) => module.CountriesPanel),
  },
  {
    id: "email",
    title: "E-mail",
    about: "One spelling per mailbox",
    service: "email",
    words: "email mail address normalize",
    placeOf: (text) => (kindOfInput(text) === "email" ? { parameters: { address: text } } : undefined),
    load: () => import("./panels/email/email-panel.js").then((module) => module.EmailPanel),
  },
  {
    id: "barcode",
    title: "QR code",
    about: "Links and texts to scan",
    service: "barcode",
    words: "barcode qr code wifi link contact",
    load: () => import("./panels/barcode/barcode-panel.js").then((module) => module.BarcodePanel),
  },
];

/** The panels of tools, in the order of the navigation. */
export const TOOLS: readonly Panel[] = PANELS.filter(({ service }) => service !== undefined);

/** Returns the panel for a URL hash; undefined if there is none. */
export function panelOf(hash: string): Panel | undefined {
  const place = parsePlace(hash);
  return PANELS.find((panel) => panel.id === place?.panel);
}
