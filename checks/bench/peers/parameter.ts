const PARAMETER = "ip_address=";

/** Returns the only parameter, which starts at `start` in the URL. Decodes it only if necessary. */
export function parameterOf(url: string, start: number): string {
  if (!url.startsWith(PARAMETER, start)) {
    return "";
  }
  const value = url.slice(start + PARAMETER.length);
  return value.includes("%") ? decodeURIComponent(value) : value;
}
