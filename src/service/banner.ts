import { updatedSources } from "../tools/data-age.js";
import { ageInDays, type DataSource } from "../tools/tool.js";

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/**
 * Returns what a terminal shows when the service is ready.
 *
 * @param hasPage whether the page and the API reference are served
 * @param now in milliseconds since the epoch
 */
export function banner(
  version: string,
  url: string,
  baseUrl: string,
  hasPage: boolean,
  sources: readonly DataSource[],
  now: number,
): string {
  const data = updatedSources(sources).map(
    ({ name, builtAt }) => `${name} of ${MONTH.format(builtAt)}, ${ageInDays(builtAt, now)} days old`,
  );
  return [
    `utility-tools ${version} is ready on ${url}`,
    ...(hasPage ? [`  Page       ${baseUrl}/`] : []),
    `  API        ${baseUrl}/v1/geoIp?ip_address=8.8.8.8`,
    ...(hasPage ? [`  Documents  ${baseUrl}/docs`] : []),
    ...data.map((each) => `  Data       ${each}`),
    "  Stop       Ctrl+C",
    "utility-tools --help shows the other commands and the settings",
  ].join("\n");
}
