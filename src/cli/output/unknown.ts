import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { MessageInit } from "connect-transcoding/codec";
import { isObject } from "./columns.js";
import type { ResponseFormats } from "./formats.js";

/** The fields whose value 0 means that the value is unknown. */
const ZERO_IS_UNKNOWN: readonly string[] = ["asn", "accuracy_radius_km", "area_km2"];

/** Whether the value 0 of a field means that it is unknown. */
export function zeroIsUnknown({ name }: DescField): boolean {
  return ZERO_IS_UNKNOWN.includes(name);
}

/** Whether a message is a point on the globe, which is unknown if both coordinates are 0. */
export function isPoint(desc: DescMessage | undefined): boolean {
  return desc?.fields.map(({ name }) => name).join() === "lat,lon";
}

/** The response as every format but JSON shows it: unknown numbers, which are 0 for the service, are empty. */
export function shownResponse({ json, element, desc }: ResponseFormats, message: MessageInit): JsonValue {
  return withoutUnknown(JSON.parse(json(message)), element ?? desc);
}

function withoutUnknown(value: JsonValue, desc: DescMessage | undefined): JsonValue {
  if (Array.isArray(value)) {
    return value.map((each) => withoutUnknown(each, desc));
  }
  if (desc === undefined || !isObject(value)) {
    return value;
  }
  if (isPoint(desc) && Object.values(value).every((each) => each === 0)) {
    return { lat: "", lon: "" };
  }
  const changed: JsonObject = { ...value };
  for (const field of desc.fields) {
    const member = value[field.jsonName];
    if (member === 0 && zeroIsUnknown(field)) {
      changed[field.jsonName] = "";
    } else if (member !== undefined && field.fieldKind !== "map") {
      changed[field.jsonName] = withoutUnknown(member, field.message);
    }
  }
  return changed;
}
