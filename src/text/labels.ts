/** The names of a field, as in `DescField`. */
export interface FieldNames {
  readonly name: string;
  readonly jsonName: string;
}

/** The name of an enum value, as in `DescEnumValue`. */
export interface ValueName {
  readonly name: string;
  readonly parent: { readonly sharedPrefix?: string | undefined };
}

/** Words that are spelled differently in labels than in names. */
const WORDS: Readonly<Record<string, string>> = {
  api: "API",
  ip: "IP",
  ipv4: "IPv4",
  ipv6: "IPv6",
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
export function fieldLabel({ name, jsonName }: FieldNames): string {
  return LABELS[name] ?? titleOf(jsonName);
}

/** Returns the label of an enum value: its name without the prefix of the enum. "" for an unknown value. */
export function valueLabel(value: ValueName | undefined): string {
  if (value === undefined) {
    return "";
  }
  const prefix = value.parent.sharedPrefix ?? "";
  return titleOf(value.name.toLowerCase().slice(prefix.length));
}
