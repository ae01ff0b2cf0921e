import type { IpAddress } from "../../../text/ip-address.js";
import type { NetworkRange } from "../../../tools/geoip/networks.js";
import type { ExportColumn } from "./table.js";

/** The columns of a network: its ends, which are the key, and the fields of a lookup, whose names and values they have. */
export const NETWORK_COLUMNS: readonly ExportColumn<NetworkRange>[] = [
  { name: "first", type: "address", isDistinct: true, of: ({ first }) => first },
  { name: "last", type: "address", isDistinct: true, of: ({ last }) => last },
  {
    name: "first_ipv4",
    type: "uint32",
    isOptional: true,
    isDistinct: true,
    of: ({ first }) => ipv4Number(first),
  },
  {
    name: "last_ipv4",
    type: "uint32",
    isOptional: true,
    isDistinct: true,
    of: ({ last }) => ipv4Number(last),
  },
  { name: "prefix_length", type: "uint32", isOptional: true, of: ({ prefixLength }) => prefixLength },
  { name: "country", type: "text", of: ({ location }) => location.country },
  { name: "eu", type: "boolean", of: ({ location }) => location.eu },
  { name: "lat", type: "double", of: ({ coords }) => coords.lat },
  { name: "lon", type: "double", of: ({ coords }) => coords.lon },
  { name: "region", type: "text", isOptional: true, of: ({ details }) => details.region },
  { name: "region_code", type: "text", isOptional: true, of: ({ details }) => details.regionCode },
  { name: "city", type: "text", isOptional: true, of: ({ details }) => details.city },
  { name: "time_zone", type: "text", isOptional: true, of: ({ details }) => details.timeZone },
  { name: "asn", type: "uint32", of: ({ asn }) => asn?.number ?? 0 },
  { name: "asn_name", type: "text", of: ({ asn }) => asn?.name ?? "" },
];

function ipv4Number({ family, bytes: [a = 0, b = 0, c = 0, d = 0] }: IpAddress): number | undefined {
  return family === 4 ? ((a << 24) | (b << 16) | (c << 8) | d) >>> 0 : undefined;
}
