import type { DescEnumValue, DescField } from "@bufbuild/protobuf";
import comments from "@utility-tools/protos/comments.json" with { type: "json" };
import { commentOn } from "connect-transcoding/openapi";

/** Returns the schema's comment on a service, method, message, field or enum value. */
export function commentOf(desc: Parameters<typeof commentOn>[0]): string {
  return commentOn(desc, comments);
}

/** Words that are spelled differently in labels than in names. */
const WORDS: Readonly<Record<string, string>> = {
  api: "API",
  ip: "IP",
  otp: "OTP",
  qrcode: "QR code",
  url: "URL",
};

/** The labels of fields whose names are abbreviations or terms of programmers, by the name of the field. */
const LABELS: Readonly<Record<string, string>> = {
  accuracy_radius_km: "Accuracy radius in km",
  age_days: "Age in days",
  api_url: "API link",
  area_km2: "Area in square km",
  asn: "AS number",
  asn_name: "Network operator",
  code2: "Country code",
  code3: "3-letter code",
  coords: "Coordinates",
  email: "E-mail address",
  emails: "E-mail addresses",
  error_correction: "Error correction",
  eu: "EU member",
  ip: "IP address",
  issuer: "Service name",
  label: "Account name",
  lat: "Latitude",
  lon: "Longitude",
  minor_units: "Decimal places",
  native_name: "Local name",
  numeric: "Numeric code",
  parent: "Part of",
  subnet: "Address range",
  top_level_domain: "Internet domain",
  un_member: "United Nations member",
};

/** Turns a name such as `ip_address` into a label: "IP address". */
export function titleOf(name: string): string {
  const words = name.split("_").map((word) => WORDS[word] ?? word);
  const label = words.join(" ");
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** Returns the label of a field. */
export function fieldLabel({ name, jsonName }: DescField): string {
  return LABELS[name] ?? titleOf(jsonName);
}

/** Returns the label of an enum value: its name without the prefix of the enum. "" for a value unknown to the page. */
export function valueLabel(value: DescEnumValue | undefined): string {
  if (value === undefined) {
    return "";
  }
  const prefix = value.parent.sharedPrefix ?? "";
  return titleOf(value.name.toLowerCase().slice(prefix.length));
}

/** Writes a message of the service as a sentence: with a capital letter, unless it starts with a name, and a full stop. */
export function sentenceOf(message: string): string {
  const start = /^[a-z]+(?=[ ,'])/.test(message) ? message.charAt(0).toUpperCase() : message.charAt(0);
  return message === "" || /[.!?]$/.test(message) ? start + message.slice(1) : `${start}${message.slice(1)}.`;
}

/** The code point of 🇦, the regional indicator symbol for A. B to Z follow it. */
const FIRST_INDICATOR = 0x1f1e6;

/** Returns the flag emoji of an alpha-2 code in upper case: two regional indicator symbols (UTS #51, annex B). */
export function flagEmoji(code2: string): string {
  const indicators = Array.from(code2, (letter) => FIRST_INDICATOR + letter.charCodeAt(0) - 0x41);
  return String.fromCodePoint(...indicators);
}

/**
 * Reports whether the system draws flag emoji as flags. Windows draws letters instead, and a system without an emoji font
 * draws boxes; both are two characters wide.
 *
 * @param width measures the width of a text.
 */
export function drawsFlags(width: (text: string) => number): boolean {
  return width(flagEmoji("FR")) < 1.5 * width(flagEmoji("F"));
}
