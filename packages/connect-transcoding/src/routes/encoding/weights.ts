import { fieldParts } from "@utility-tools/http-server/portable";

/**
 * The weights of the elements of an `Accept` or `Accept-Encoding` header, in lower case and without other parameters; 0 for an
 * invalid weight.
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.4.2
 */
export function weightsIn(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = fieldParts(element, ";");
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0);
  }
  return weights;
}

/** The weight of a media type without parameters in an `Accept` header: that of the most specific range. 0 if none has it. */
export function mediaTypeWeight(weights: ReadonlyMap<string, number>, mediaType: string): number {
  const [type] = mediaType.split("/", 1);
  return weights.get(mediaType) ?? weights.get(`${type}/*`) ?? weights.get("*/*") ?? 0;
}
