import { expect, test } from "vitest";
import { addressIn } from "../../src/text/address-in.js";
import { findAddresses } from "../../src/text/find-address.js";
import { findEmails } from "../../src/text/find-email.js";

test.each<[string, string, string, string]>([
  [
    "proxies after the client",
    '10.0.0.5 - - "GET /" "203.0.113.7, 10.1.1.1"',
    "203.0.113.7",
    "nginx, http_x_forwarded_for",
  ],
  [
    "a client that is private",
    'client: 10.0.0.9, upstream: "http://8.8.8.8:80/"',
    "10.0.0.9",
    "nginx, error log",
  ],
  [
    "the field of a proxy",
    '"remote_ip":"173.245.48.1","client_ip":"8.8.4.4"',
    "8.8.4.4",
    "Caddy, access log",
  ],
  ["source and destination", "SRC=10.0.0.1 DST=8.8.8.8", "10.0.0.1", "Linux, netfilter LOG"],
  ["a bracket and a host name", "connect from unknown[8.8.8.8]: lost", "8.8.8.8", "Postfix, smtpd"],
  ["a key with a colon", "ip:2001:db8::1 ok", "2001:db8::1", "RFC 4291, 2.2"],
  ["the end of a sentence", "Denied 1.2.3.4.", "1.2.3.4", ""],
  ["a port", "to 8.8.8.8:53 x", "8.8.8.8", "RFC 3986, 3.2.3"],
  ["brackets and a port", "to [2001:db8::1]:443", "2001:db8::1", "RFC 3986, 3.2.2"],
  ["a zone", "via fe80::1%eth0 dev", "fe80::1", "RFC 4007, 11"],
  ["a network", "inet 192.168.1.5/24 brd", "192.168.1.5", "ip address"],
  ["a socket of Java", "/8.8.8.8:51234 closed", "8.8.8.8", "InetSocketAddress.toString"],
  ["the version of a product", "x Chrome/120.0.0.0 Safari", "", "RFC 9110, 10.1.5"],
  ["a version by its name", '"version":"1.2.3.4"', "", ""],
  ["a parameter of a URL", "GET /?client_ip=1.1.1.1 from 10.0.0.1", "1.1.1.1", "it is the first public one"],
  ["five numbers", "a 8.8.8.8.8 b", "", ""],
  ["a letter after it", "a 1.2.3.4x b", "", ""],
  ["a letter before it", "a v1.2.3.4 b", "", ""],
  ["a hardware address and a time", "12:34:56:78:9a:bc 10:00:00", "", "IEEE 802"],
  ["an operator", "std::vector a::b ::", "", "C++"],
  ["a wildcard", "tcp6 0 0 :::* LISTEN", "", "netstat"],
  ["a number that is too large", "x 1.2.3.456 y", "", ""],
])("%s: %j has %j", (_, line, address) => {
  expect(findAddresses(line, "client")).toEqual(address === "" ? [] : [address]);
});

test.each<[string, string | undefined]>([
  ["8.8.8.8:53", "8.8.8.8"],
  ["[::1]:443", "::1"],
  ["[::1]", "::1"],
  ["1.1.1.0/24", "1.1.1.0"],
  ["2001:db8::/32", "2001:db8::"],
  ["fe80::1%eth0", "fe80::1"],
  [" 8.8.8.8\t", "8.8.8.8"],
  ["1.1.1.1/8", undefined],
  ["1.1.1.0/33", undefined],
  ["::ffff:1.1.1.0/120", "::ffff:1.1.1.0"],
  ["::ffff:1.1.1.0/24", undefined],
  ["8.8.8.8.8", undefined],
  ["1.2.3.4x", undefined],
  ["8.8.8.8 1.1.1.1", undefined],
])("%j is meant as %j", (text, address) => {
  expect(addressIn(text)).toBe(address);
});

test.each<[string, string[]]>([
  ["to=<jane@example.com>, orig_to=<j@example.org>", ["jane@example.com", "j@example.org"]],
  ["Jane <jane.doe+tag@example.com>", ["jane.doe+tag@example.com"]],
  ["email=jane@example.com&x=1", ["jane@example.com"]],
  ["mailto:jane@example.com.", ["jane@example.com"]],
  ['{"mail":"é@例え.jp"}', ["é@例え.jp"]],
  ["message-id=<1@mx.example.com>", []],
  ["root@localhost", []],
  ["@ a@ @b", []],
])("%j has the e-mail addresses %j", (line, found) => {
  expect(findEmails(line)).toEqual(found);
});
