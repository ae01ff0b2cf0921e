import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { enumNames, fieldDocsOf } from "connect-transcoding/openapi";

/** Words that are written in another way than in names. */
const WORDS: Readonly<Record<string, string>> = {
  api: "API",
  asn: "ASN",
  eu: "EU",
  ip: "IP",
  otp: "OTP",
  qrcode: "QR code",
  url: "URL",
};

/** What to call a field: its JSON name as words. */
export function fieldLabel({ jsonName }: DescField): string {
  return titleOf(jsonName);
}

/** A name in lower case and underscores as words: `ip_address` is "IP address". */
export function titleOf(name: string): string {
  const words = name.split("_").map((word) => WORDS[word] ?? word);
  const label = words.join(" ");
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** A value that a field takes, as text, and what to call it. */
export interface FieldChoice {
  readonly text: string;
  readonly title: string;
}

/** All values that a field takes, where they are few enough to have been listed; else none. */
export function fieldChoices(field: DescField): readonly FieldChoice[] {
  if (field.enum !== undefined) {
    return [...enumNames(field.enum, "request").keys()].map((text) => ({ text, title: text.toUpperCase() }));
  }
  return fieldDocsOf(field).allowedValues.map((text) => ({ text, title: text }));
}

/** The value that a text stands for, as protobuf-es takes it. What is no number becomes NaN, which the service refuses. */
export function fieldValue(field: DescField, text: string): unknown {
  if (field.enum !== undefined) {
    return enumNames(field.enum, "request").get(text)?.number;
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      return text === "true";
    default:
      return Number(text);
  }
}
