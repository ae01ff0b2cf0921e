/** The longest local part and domain that are read, in characters (RFC 5321, 4.5.3.1). */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;

/** Names before an equals sign, which can also be in an address. */
const KEY = /^(?:[\w-]*(?:mail|user|from|to|cc|rcpt|sender|recipient|login|address))=/i;

/** Finds the e-mail addresses in a line, such as one of a mail server's log. Identifiers of messages do not count. */
export function findEmails(line: string): readonly string[] {
  const found: string[] = [];
  let end = 0;
  for (let at = line.indexOf("@"); at !== -1; at = line.indexOf("@", at + 1)) {
    const [local = ""] =
      /(?<![\w.+-])[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]+$/u.exec(
        line.slice(Math.max(end, at - MAX_LOCAL - 16), at),
      ) ?? [];
    const [domain = ""] =
      /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+/u.exec(
        line.slice(at + 1, at + 1 + MAX_DOMAIN),
      ) ?? [];
    const name = local.replace(/^[^\p{L}\p{N}]+/u, "").replace(KEY, "");
    const isIdentifier = /message-?id["']?[:=]\s*<?$/i.test(
      line.slice(Math.max(0, at - local.length - 16), at - local.length),
    );
    if (name !== "" && name.length <= MAX_LOCAL && domain !== "" && !isIdentifier) {
      found.push(`${name}@${domain}`);
      end = at + 1 + domain.length;
    }
  }
  return found;
}
