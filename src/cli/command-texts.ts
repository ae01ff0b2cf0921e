/** What help says of a command in place of the comments of its method, which are about messages. */
export interface CommandText {
  /** An imperative. */
  readonly summary: string;
  /** What the argument can be; undefined: the first sentence of the comment of its field. */
  readonly operand?: string;
  /** Examples besides the one that is derived from the method, without the name of the program. */
  readonly examples: readonly string[];
}

const EMAIL = "an e-mail address, or a text with one: mailto:jane@example.com, 'Jane Doe <jane@example.com>'";

/** By the name of the command. One that is missing has the first sentence of its method and the derived example. */
export const COMMAND_TEXTS: Readonly<Record<string, CommandText>> = {
  about: {
    summary: "show the version and the sources of the data",
    examples: ["about --sources", "about --json --fields version"],
  },
  barcode: {
    summary: "draw a QR code",
    examples: ["barcode 'WIFI:T:WPA;S:Guest;P:welcome;;'", "barcode --file card.vcf --output card.png"],
  },
  countries: {
    summary: "list all countries",
    examples: ["countries --csv --output countries.csv", "countries --fields code2,name,capital"],
  },
  "countries search": {
    summary: "find countries by any name, code, capital or state",
    examples: ["countries search Bavaria", "countries search EUR --limit 30 --json"],
  },
  country: {
    summary: "show a country",
    operand: "a code, a name, a calling code or another value that only one country has",
    examples: ["country 'South Korea' --states", "country +49 --fields capital,currencies"],
  },
  email: {
    summary: "normalize e-mail addresses",
    operand: EMAIL,
    examples: ["email --file addresses.txt", "email --csv --file members.csv --output clean.csv"],
  },
  "email explain": {
    summary: "show what changes in an e-mail address, and what is known of it",
    operand: EMAIL,
    examples: ["email explain jane@gmial.com", "email explain --csv --file members.csv --fields disposable"],
  },
  geoip: {
    summary: "locate IP addresses",
    operand: "an IPv4 or IPv6 address. Lines of files and of standard input can have other text around it",
    examples: ["geoip --file access.log --summary", "geoip --csv --file visitors.csv --fields country,city"],
  },
  "geoip asn": {
    summary: "summarize the networks of an autonomous system",
    operand: "its number, such as AS15169",
    examples: ["geoip asn AS15169 --limit 5", "geoip asn AS15169 --fields countries"],
  },
  "geoip self": {
    summary: "locate your own address, as a service sees it",
    examples: [
      "geoip self --url https://tools.example.com --json",
      "geoip self --url https://tools.example.com --fields ip",
    ],
  },
  "hotp generate": {
    summary: "create a secret for counter-based codes",
    examples: ["hotp generate", "hotp generate --digits 8 --json"],
  },
  "hotp verify": {
    summary: "list the codes of a secret at ten counters, or check one",
    examples: [
      "hotp verify --secret-file secret.txt --counter 7",
      "hotp verify --secret-file secret.txt --code 755224",
    ],
  },
  "otp code": {
    summary: "print the current code of a secret",
    examples: ["otp code", "otp code --secret-file secret.txt --digits 8"],
  },
  "otp generate": {
    summary: "create a secret for time-based codes",
    examples: ["otp generate", "otp generate --output secret.txt"],
  },
  "otp verify": {
    summary: "list the codes of a secret around now, or check one",
    examples: ["otp verify", "otp verify --secret-file secret.txt --code 123456"],
  },
};
