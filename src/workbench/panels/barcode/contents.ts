/** One input of a form. */
export interface ContentInput {
  readonly name: string;
  readonly label: string;
  /** Default: one line of text. */
  readonly control?: "long" | "password" | "check" | "choice" | "color";
  /** The values and labels of a choice; the first one is the default. */
  readonly choices?: readonly (readonly [value: string, title: string])[];
  readonly placeholder?: string;
}

/** The values of a form by the names of its inputs. A check is "true" or "". */
export type Values = Readonly<Record<string, string>>;

/** The text of a code, or what the form still needs. */
export type Content = { readonly text: string } | { readonly hint: string };

/** A kind of content, with its form. */
export interface ContentKind {
  readonly id: string;
  readonly title: string;
  readonly inputs: readonly ContentInput[];
  /** Returns the text without its secret, for the URL of the page; "" without one. Default: the whole text. */
  readonly linkedText?: (values: Values) => string;
  readonly contentOf: (values: Values) => Content;
}

/** A host that has no certificate: the own computer, or a device by its number. */
const WITHOUT_TLS = /^(localhost|\d+(\.\d+){3})(?=[:/?#]|$)/i;

/**
 * Returns the text of a link. A text without a scheme gets `https://`, or `http://` for `localhost` and IPv4 addresses.
 * https://www.rfc-editor.org/rfc/rfc3986#section-3.1
 */
export function linkContent({ url = "" }: Values): Content {
  const text = url.trim();
  if (text === "") {
    return { hint: "Enter a link." };
  }
  const isHostAndPort = /^[^/:]+:\d+(?=[/?#]|$)/.test(text);
  const hasScheme = /^[a-z][a-z\d+.-]*:/i.test(text) && !isHostAndPort;
  const rest = text.replace(/^\/\//, "");
  const link = hasScheme ? text : `${WITHOUT_TLS.test(rest) ? "http" : "https"}://${rest}`;
  return /\s/.test(link) || !URL.canParse(link)
    ? { hint: "This is not a link. For other texts, choose “Text”." }
    : { text: link };
}

/**
 * Returns the text that joins a Wi-Fi network: the format of ZXing, which phones read, in the order of the WPA3 specification.
 * Names that look hexadecimal are not in quotes, which that format asks for: Android writes them without.
 * https://github.com/zxing/zxing/wiki/Barcode-Contents#wi-fi-network-config-android-ios-11
 */
export function wifiContent({ ssid = "", security = "WPA", password = "", hidden = "" }: Values): Content {
  const isOpen = security === "nopass";
  if (ssid === "") {
    return { hint: "Enter the name of the network." };
  }
  if (!isOpen && password === "") {
    return { hint: "Enter the password of the network, or choose “None”." };
  }
  if (security === "WPA" && password.length < 8) {
    return { hint: "The password of a WPA network has at least 8 characters." };
  }
  return { text: wifiText({ ssid, security, hidden }, isOpen ? [] : [`P:${quoted(password)}`]) };
}

function wifiText({ ssid = "", security = "WPA", hidden = "" }: Values, more: readonly string[]): string {
  const parts = [`T:${security}`, `S:${quoted(ssid)}`, ...(hidden === "true" ? ["H:true"] : []), ...more];
  return `WIFI:${parts.join(";")};;`;
}

function quoted(text: string): string {
  return text.replaceAll(/[\\;,:"]/g, "\\$&");
}

/** Returns the text of a network without its password; "" without a name. */
export function linkedWifi(values: Values): string {
  return (values.ssid ?? "") === "" ? "" : wifiText(values, []);
}

/** Returns the form of a network from its text, which has no password in a link. */
function wifiValues(text: string): Values {
  const parts = [...text.matchAll(/(?<=[:;])([A-Z]):((?:\\.|[^\\;])*);/gs)];
  const of = (name: string) =>
    parts.find(([, each]) => each === name)?.[2]?.replaceAll(/\\(.)/gs, "$1") ?? "";
  return { ssid: of("S"), security: of("T") || "nopass", password: of("P"), hidden: of("H") };
}

/**
 * Returns a contact as a vCard 3.0, which more phones read than 4.0. Lines are not folded: it would only enlarge the code.
 * https://www.rfc-editor.org/rfc/rfc2426
 */
export function contactContent(values: Values): Content {
  const { first = "", last = "", organization = "", phone = "", email = "", website = "" } = trimmed(values);
  const name = [first, last].filter(Boolean).join(" ") || organization;
  if (name === "") {
    return { hint: "Enter a name or an organization." };
  }
  const quote = (text: string) => text.replaceAll(/[\\;,]/g, "\\$&").replaceAll(/\r\n|\r|\n/g, "\\n");
  const line = (property: string, value: string) => (value === "" ? [] : [`${property}:${value}`]);
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:${quote(last)};${quote(first)};;;`,
    `FN:${quote(name)}`,
    ...line("ORG", quote(organization)),
    ...line("TEL;TYPE=CELL", quote(phone)),
    ...line("EMAIL", quote(email)),
    ...line("URL", website),
    "END:VCARD",
  ];
  return { text: `${lines.join("\r\n")}\r\n` };
}

/**
 * Returns a `mailto:` URL. Several addresses are separated by commas, semicolons or line breaks, and may have names.
 * https://www.rfc-editor.org/rfc/rfc6068
 */
export function emailContent({ to = "", subject = "", body = "" }: Values): Content {
  const addresses = (to.match(/(?:"[^"]*"|[^,;\n"])+/g) ?? [])
    .map((address) => (/<([^<>]*)>\s*$/.exec(address)?.[1] ?? address).trim())
    .filter(Boolean);
  if (addresses.length === 0) {
    return { hint: "Enter an e-mail address." };
  }
  const wrong = addresses.find((address) => !/^(?:"[^"]+"|[^\s"@]+)@[^\s"@]+$/.test(address));
  if (wrong !== undefined) {
    return { hint: `“${wrong}” is not an e-mail address, such as jane@example.com.` };
  }
  const path = addresses.map((address) => {
    const at = address.lastIndexOf("@");
    return at < 0 ? encode(address) : `${encode(address.slice(0, at))}@${encode(address.slice(at + 1))}`;
  });
  const fields = [
    ["subject", subject],
    ["body", body.replaceAll(/\r\n|\r|\n/g, "\r\n")],
  ].flatMap(([name, value = ""]) => (value === "" ? [] : [`${name}=${encode(value)}`]));
  return { text: `mailto:${path.join(",")}${fields.length === 0 ? "" : `?${fields.join("&")}`}` };
}

/** Percent-encodes a text as UTF-8. A lone surrogate becomes U+FFFD. */
function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\uFFFD"));
}

/**
 * Returns a `geo:` URI in WGS 84.
 * https://www.rfc-editor.org/rfc/rfc5870
 */
export function placeContent(values: Values): Content {
  const { latitude = "", longitude = "" } = trimmed(values);
  if (latitude === "" || longitude === "") {
    return { hint: "Enter latitude and longitude in degrees." };
  }
  const [north, east] = [degrees(latitude, 90), degrees(longitude, 180)];
  if (north === undefined) {
    return { hint: "The latitude is a number from -90 to 90, for example 48.2010." };
  }
  return east === undefined
    ? { hint: "The longitude is a number from -180 to 180, for example 16.3695." }
    : { text: `geo:${north},${east}` };
}

/** Returns a number of degrees as it is written in a `geo:` URI; undefined if the text is not a number, or is beyond the limit. */
function degrees(text: string, limit: number): string | undefined {
  const [, number] = /^\+?(-?\d+(?:\.\d+)?)°?$/.exec(text) ?? [];
  return number === undefined || Math.abs(Number(number)) > limit ? undefined : number;
}

function trimmed(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
}

const TEXT_KIND: ContentKind = {
  id: "text",
  title: "Text",
  inputs: [{ name: "text", label: "Text", control: "long" }],
  contentOf: ({ text = "" }) => (text === "" ? { hint: "Enter a text." } : { text }),
};

const LINK_KIND: ContentKind = {
  id: "link",
  title: "Link",
  inputs: [{ name: "url", label: "Link", placeholder: "https://example.com/" }],
  contentOf: linkContent,
};

const WIFI_KIND: ContentKind = {
  id: "wifi",
  title: "Wi-Fi",
  linkedText: linkedWifi,
  inputs: [
    { name: "ssid", label: "Network name" },
    {
      name: "security",
      label: "Security",
      control: "choice",
      choices: [
        ["WPA", "WPA"],
        ["WEP", "WEP"],
        ["nopass", "None"],
      ],
    },
    { name: "password", label: "Password", control: "password" },
    { name: "hidden", label: "The network is hidden", control: "check" },
  ],
  contentOf: wifiContent,
};

const PLACE_KIND: ContentKind = {
  id: "place",
  title: "Place",
  inputs: [
    { name: "latitude", label: "Latitude", placeholder: "48.2010" },
    { name: "longitude", label: "Longitude", placeholder: "16.3695" },
  ],
  contentOf: placeContent,
};

/** The kinds of content that the panel offers, in this order. */
export const KINDS: readonly ContentKind[] = [
  LINK_KIND,
  TEXT_KIND,
  WIFI_KIND,
  {
    id: "contact",
    title: "Contact",
    inputs: [
      { name: "first", label: "First name" },
      { name: "last", label: "Last name" },
      { name: "organization", label: "Organization" },
      { name: "phone", label: "Phone number" },
      { name: "email", label: "E-mail address" },
      { name: "website", label: "Website" },
    ],
    contentOf: contactContent,
  },
  {
    id: "email",
    title: "E-mail",
    inputs: [
      { name: "to", label: "To", placeholder: "jane@example.com" },
      { name: "subject", label: "Subject" },
      { name: "body", label: "Message", control: "long" },
    ],
    contentOf: emailContent,
  },
  PLACE_KIND,
];

/** Returns the form that has a text as its content: that of a link, of a network, of a place, or of any text. */
export function formOf(text: string): { readonly kind: ContentKind; readonly values: Values } {
  if (/^WIFI:.*;;$/s.test(text)) {
    return { kind: WIFI_KIND, values: wifiValues(text) };
  }
  const [, latitude = "", longitude = ""] = /^geo:([\d.-]+),([\d.-]+)$/.exec(text) ?? [];
  if ("text" in placeContent({ latitude, longitude })) {
    return { kind: PLACE_KIND, values: { latitude, longitude } };
  }
  return /^https?:\/\/\S+$/i.test(text)
    ? { kind: LINK_KIND, values: { url: text } }
    : { kind: TEXT_KIND, values: { text } };
}
