import type { MmdbContent, MmdbValue } from "../../test/tools/geoip/mmdb-writer.js";
import { mmdbBytes, REPLACED, replaceRecord, sharedArrays } from "../../test/tools/geoip/test-databases.js";
import type { Random } from "../lib/random.js";

/** The addresses of lookups: in the networks of the files, beside them, and at the ends of the address space. */
export const ADDRESSES = [
  ...["0.0.0.1", "1.0.0.1", "8.8.8.8", "8.8.9.8", "9.9.9.9", "11.0.0.1", "100.1.2.3", "223.255.255.255"],
  ...["2000::1", "2600::1", "2600:ffff::1", "2001:4860:4860::8888", "2a00:1450::1", "3000::1"],
] as const;

const names = Object.fromEntries(
  ["de", "en", "es", "fr", "ja", "pt-BR", "ru", "zh-CN"].map((tag) => [tag, "Name"]),
);

/** Records in the shapes of MaxMind, DB-IP and IPinfo. */
const RECORDS: readonly MmdbValue[] = [
  {
    city: { geoname_id: 2_950_159, names },
    continent: { code: "EU", geoname_id: 6_255_148, names },
    country: { iso_code: "DE", is_in_european_union: true, names },
    location: { accuracy_radius: 20, latitude: 52.5196, longitude: 13.4069, time_zone: "Europe/Berlin" },
    postal: { code: "10115" },
    subdivisions: [{ iso_code: "BE", names }],
  },
  { city: "Paris", country_code: "FR", latitude: 48.85, longitude: 2.35, postcode: "", state1: "Paris" },
  { country: "AU", lat: "-33.86785", lng: "151.20732" },
  { autonomous_system_number: 15_169, autonomous_system_organization: "Google LLC" },
  { asn: "AS15169", as_name: "Google LLC", number: 15_169, list: [1, -1.5, "text", true] },
];

/** Records that stand for more values, levels or bytes than a process can hold. */
const HOSTILE: readonly ((offset: number) => Iterable<number>)[] = [
  (offset) => sharedArrays(offset, 2, 24),
  (offset) => sharedArrays(offset, 11, 6),
  // An array and a map of the largest size.
  () => [0x1f, 0x04, 0xff, 0xff, 0xff],
  () => [0xff, 0xff, 0xff, 0xff],
  // Arrays of one element, a text of 16 MB, bytes of 16 MB, and a pointer to itself.
  () => Array.from({ length: 398 }, (_, index) => (index % 2 === 0 ? 0x01 : 0x04)),
  () => [0x5f, 0xff, 0xff, 0xff],
  () => [0x9f, 0xff, 0xff, 0xff],
  (offset) => [0x38, ...[24, 16, 8, 0].map((shift) => (offset >>> shift) & 0xff)],
];

/** Creates a function that returns a changed file, or now and then an unchanged one. */
export function fileMaker(): (random: Random) => Buffer {
  const sizes = [24, 28, 32] as const;
  const files = sizes.flatMap((recordSize) => [
    ...RECORDS.flatMap((record) => [false, true].map((hasIpv6) => fileOf(record, hasIpv6, recordSize))),
    ...HOSTILE.map((bytesAt, index) => replaceRecord(fileOf(REPLACED, index % 2 === 0, recordSize), bytesAt)),
  ]);
  return (random) => {
    let bytes: Buffer = Buffer.from(random.pick(files));
    for (let count = random.below(6); count > 0; count--) {
      bytes = random.pick(random.oneIn(8) ? RESIZING : CHANGES)(bytes, random);
    }
    return bytes;
  };
}

/** Returns a file with many networks of a common record, and one with another record. */
function fileOf(other: MmdbValue, hasIpv6: boolean, recordSize: MmdbContent["recordSize"]): Buffer {
  const common = {
    ...(typeof other === "object" && !Array.isArray(other) && other),
    country_code: "US",
    asn: 64_496,
  };
  return mmdbBytes(
    {
      "1.0.0.0/24": common,
      "8.8.8.0/24": common,
      "9.9.9.0/24": other,
      "11.0.0.0/8": other,
      "100.0.0.0/7": common,
      ...(hasIpv6 && { "2600::/12": common, "2001:4860::/32": other, "2a00:1450::/33": common }),
    },
    { recordSize, description: { en: "A file" } },
  );
}

type Change = (bytes: Buffer, random: Random) => Buffer;

const METADATA_FIELDS = "node_count record_size ip_version build_epoch database_type description".split(" ");

/** Changes that keep the length of a file. */
const CHANGES: readonly Change[] = [
  (bytes, { below }) => write(bytes, below(bytes.length), [below(256)]),
  (bytes, { below, pick }) => write(bytes, below(bytes.length), [pick([0, 0x1f, 0x20, 0x7f, 0xe0, 0xff])]),
  // A pointer.
  (bytes, { below, pick }) =>
    write(bytes, below(bytes.length), [pick([0x20, 0x21, 0x28, 0x30, 0x38]), 0, below(256), below(256)]),
  // A node of the tree, with records near those of the file.
  (bytes, { below }) =>
    write(bytes, below(Math.min(bytes.length, 2_000)), [0, below(16), below(256), 0, below(16), below(256)]),
  // The value of a field of the metadata.
  (bytes, { below, pick }) => {
    const field = pick(METADATA_FIELDS);
    const at = bytes.lastIndexOf(field);
    const type = pick([0x20, 0x44, 0x68, 0xa1, 0xc1, 0xc2, 0xc4, 0xe1, 0x01, 0x04]);
    return at < 0 ? bytes : write(bytes, at + field.length, [type, below(256), below(256), below(256)]);
  },
  // A copy of another part, which can be the marker or a control byte.
  (bytes, { below, size }) => {
    const from = below(bytes.length);
    return write(bytes, below(bytes.length), bytes.subarray(from, from + 1 + size(400)));
  },
  // A hostile record.
  (bytes, { below, pick }) => {
    const at = below(bytes.length);
    const offset = Math.max(0, at - bytes.indexOf(Buffer.alloc(16)) - 16);
    return write(bytes, at, pick(HOSTILE)(offset));
  },
];

/** Changes of the length. After most of them a file does not open. */
const RESIZING: readonly Change[] = [
  (bytes, { below }) => bytes.subarray(0, below(bytes.length + 1)),
  (bytes, { below, size }) => {
    const at = below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + size(200))]);
  },
  (bytes, { below, size }) => {
    const at = below(bytes.length);
    const inserted = Buffer.alloc(1 + size(200), below(256));
    return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
  },
];

/** Writes bytes into a file, as many as fit. */
function write(bytes: Buffer, at: number, values: Iterable<number>): Buffer {
  bytes.set(Buffer.from([...values]).subarray(0, Math.max(0, bytes.length - at)), at);
  return bytes;
}
