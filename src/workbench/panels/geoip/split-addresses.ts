/** The addresses in a text that somebody pasted: whatever white space, commas or semicolons part. */
export function splitAddresses(text: string): string[] {
  return text.split(/[\s,;]+/).filter((address) => address !== "");
}
