/** What a column or a field has, as far as its name says. */
export type ColumnKind = "address" | "email" | "country";

/** Names of fields with the address of a client, as proxies and log formats call it. */
const CLIENT_NAMES = new Set(
  (
    "client clientip clientaddr clientaddress clienthost clientipaddress cip xclientip trueclientip endclientip fastlyclientip " +
    "flyclientip cfconnectingip xforwardedfor csxforwardedfor httpxforwardedfor httpclientip forwardedfor xrealip realip " +
    "callerip calleripaddress sourceipaddress visitorip visitor userip useripaddress idorigh kundenip httprequestclientip"
  ).split(" "),
);

/** Names of fields with the address of the other end of a connection. */
const REMOTE_NAMES = new Set(
  (
    "remote remoteaddr remoteaddress remoteip remoteipaddress remotehost rhost rip src srcip srcaddr srcaddress srcipaddr source " +
    "sourceip sourceaddr sourceaddress saddr peer peerip peeraddr peeraddress originip hostip"
  ).split(" "),
);

/** Other names of columns, by their kind. */
const PLAIN_NAMES: Readonly<Record<ColumnKind, ReadonlySet<string>>> = {
  address: new Set(
    (
      "ip ips ipaddress ipaddresses ipaddr ipadresse adresseip ipadres ipadress ipv4 ipv6 ipv4address ipv6address ip4 ip6 " +
      "inet direccionip enderecoip indirizzoip addr address addresses"
    ).split(" "),
  ),
  email: new Set(
    (
      "email emails mail mails address addr emailaddress emailaddresses emailaddr mailaddress emailadresse mailadresse emailadress emailadres " +
      "adresseemail adressemail adresseelectronique courriel courrielelectronique correo correoelectronico email1value " +
      "indirizzoemail enderecoemail epost epostadresse epostadress useremail usermail sahkoposti posta eposta"
    ).split(" "),
  ),
  country: new Set(
    "country countries countrycode countryname land lander landercode pays codepays pais paese nation nationality iso2 alpha2".split(
      " ",
    ),
  ),
};

/** A name without case, accents, spaces and punctuation: `Client-IP`, `client_ip` and `clientIp` are one name. */
export function plainName(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "");
}

/** How likely a field has the address of a client: 2 for a name of clients, 1 for one of the other end, 0 for every other name. */
export function clientRank(name: string): 0 | 1 | 2 {
  const plain = plainName(name);
  return CLIENT_NAMES.has(plain) ? 2 : REMOTE_NAMES.has(plain) ? 1 : 0;
}

/** How well the name of a column fits a kind: 3 for the best, 0 for a name that does not fit. */
export function columnRank(name: string, kind: ColumnKind): number {
  if (PLAIN_NAMES[kind].has(plainName(name))) {
    return 1;
  }
  const rank = kind === "address" ? clientRank(name) : 0;
  return rank === 0 ? 0 : rank + 1;
}

/** Matches the names of columns of a kind. */
export function namesOfKind(kind: ColumnKind): { test(name: string): boolean } {
  return { test: (name) => columnRank(name, kind) > 0 };
}
