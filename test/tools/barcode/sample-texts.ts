/** Texts for every encoding mode of QR codes, by name. */
export const SAMPLE_TEXTS: Readonly<Record<string, string>> = {
  "an otp_url":
    "otpauth://totp/ACME%20Co:john.doe%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME%20Co" +
    "&algorithm=SHA1&digits=6&period=30",
  "an otp_url of a non-ASCII label":
    "otpauth://totp/B%C3%BCcher%20%26%20Caf%C3%A9:%E5%B1%B1%E7%94%B0%20%F0%9F%98%80?secret=" +
    "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=B%C3%BCcher%20%26%20Caf%C3%A9&algorithm=SHA1&digits=8&period=30",
  "one character": "a",
  digits: "01234567890123456789",
  "alphanumeric characters": "HTTP://EXAMPLE.COM/A-Z 0-9 $%*+./:",
  "Latin-1 characters": "Zürich, Málaga, Ærø ¼ÿ",
  "what UTF-8 looks like in Latin-1": "Ã¤Ã¶Ã¼",
  "Greek, Cyrillic and Hebrew": "Ελλάδα Россия ישראל",
  "Japanese, that Shift JIS could encode": "日本語の漢字テスト 123",
  emoji: "😀 🇫🇷 👩‍👩‍👧‍👦",
  "lines of a contact card": "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Zoë Müller\r\nEND:VCARD\r\n",
  "control characters": "a\u0000b\tc\u007f",
  "a byte order mark": "\ufeffabc",
  "spaces at both ends": "  x  ",
};
