// The states of the page that are checked for accessibility, and compared with the pictures of the last time.
import { fieldOf, press } from "./harness.mjs";
import { dropFile } from "./lists.mjs";

const SECRET = "JBSWY3DPEHPK3PXP";
const LIST_OF_SECRETS = `otpauth://totp/Shop:jane@example.com?secret=${SECRET}&issuer=Shop\n${SECRET}\nnonsense`;

const type = (name, text) => (page) => fieldOf(page, name).fill(text);
const search = (text) => (page) => page.getByPlaceholder("Name, code or").fill(text);
const presses = (name) => (page) => press(page, name);
const shows = (text) => (page) => page.getByText(text).first().waitFor();
const goOffline = (_, context) => context.setOffline(true);
const dropText = (page) => dropFile(page, "notes.txt", "no picture", "text/plain", ".otp");
const openReference = (page) => page.goto(new URL("docs#LookupIp", page.url()).href);
/** From now on, lists get no response. */
const holdLists = (page) => page.route("**/BatchLookupIps", () => {});

const SEND_LIST = [
  type("IP addresses", "8.8.8.8\n193.0.6.139\n10.0.0.1\n10.0.0.2\nnonsense"),
  presses("Look up"),
];

/**
 * A name for each state, the hash of its URL, and what to do there. The last of the acts waits for something that only this state
 * shows.
 */
export const SCENES = [
  ["home", "home", shows("What do you want to look up?")],
  ["home-address", "home", type("Look up", "8.8.8.8"), shows("Mountain View, California")],
  ["home-secret", "home", type("Look up", SECRET), shows("seconds left")],
  ["home-typo", "home", type("Look up", "Maroco"), shows("Did you mean")],
  ["home-error", "home", type("Look up", "300.0.0.1"), shows("from 0 to 255")],
  ["otp", "otp", shows("changes every")],
  ["otp-new-secret", "otp", shows("changes every"), presses("New secret"), shows("A new secret replaced")],
  [
    "otp-mistakes",
    "otp",
    shows("changes every"),
    type("Code from your authenticator app", "12ab"),
    type("Account name", "a:b"),
    type("Secret", `otpauth://hotp/a?secret=${SECRET}&counter=1`),
    shows("This setup link is for codes by counter"),
  ],
  ["otp-no-code", "otp", shows("changes every"), dropText, shows("This file is not a picture")],
  [
    "otp-list",
    "otp?mode=list",
    type("Secrets or setup links", LIST_OF_SECRETS),
    presses("Show codes"),
    shows("2 with a code"),
  ],
  ["geoip", "geoip/8.8.8.8", shows("Google LLC")],
  ["geoip-private", "geoip/192.168.1.1", shows("RFC 1918")],
  ["geoip-own", "geoip", shows("You are on the same computer")],
  ["geoip-typing", "geoip/8.8.8.8", shows("Google LLC"), type("IP address", "9.9"), shows("Press Enter")],
  ["geoip-error", "geoip/300.1.1.1", shows("Must be an IPv4 or IPv6 address")],
  [
    "service-down",
    "geoip/8.8.8.8",
    shows("Google LLC"),
    goOffline,
    presses("Look up"),
    shows("The service does not respond"),
  ],
  ["list-running", "geoip?mode=list", holdLists, ...SEND_LIST, shows("0 of 5")],
  ["list-done", "geoip?mode=list", ...SEND_LIST, shows("2 rows, the first is row 3")],
  ["countries", "countries/CH", shows("Drives on the right")],
  ["countries-typo", "countries", search("Maroco"), shows("Did you mean")],
  ["countries-nothing", "countries", search("no such country"), shows("You can search for")],
  ["countries-map", "countries?mode=map", shows("Share")],
  [
    "countries-map-error",
    "countries?mode=map",
    type("Countries with numbers", "US,1\nAtlantis,2"),
    shows("no known country"),
  ],
  ["email", "email?address=Jane.Doe%2Bnews%40GoogleMail.com", shows("What changed, and why")],
  ["email-misspelled", "email?address=jane%40gmial.com", shows("The domain is probably misspelled")],
  ["email-disposable", "email?address=info%40mailinator.com", shows("This address is disposable")],
  ["email-error", "email?address=jane..doe%40example.com", shows("two in a row")],
  ["barcode", "barcode?data=https%3A%2F%2Fexample.com%2F", shows("Download SVG")],
  [
    "barcode-wifi",
    "barcode",
    (page) => page.getByRole("radio", { name: "Wi-Fi" }).check(),
    shows("Enter the name of the network"),
  ],
  ["barcode-contrast", "barcode?data=a&foreground=cccccc", shows("a contrast of at least")],
  [
    "barcode-list",
    "barcode?mode=list",
    type("Texts or links", `https://example.com/\nTable 1, by the window\n${"é".repeat(2_000)}`),
    presses("Make codes"),
    shows("2 with a code"),
  ],
  ["unknown", "no-such-page", shows("There is no such page")],
  ["reference", "home", openReference, shows("Query parameters")],
  [
    "palette",
    "email",
    (page) => page.keyboard.press("Control+k"),
    (page) => page.getByRole("combobox").fill("germany"),
    shows("Berlin"),
  ],
];

/** What differs from one time to the next. */
export const CHANGING = ".otp-code, .otp-left, .ring, .otp-image, .home-code, .version, .control.masked";
