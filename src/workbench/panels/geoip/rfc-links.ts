/** A piece of a text, and the page that it names. */
export interface TextLink {
  readonly text: string;
  /** Undefined for a text that names no RFC. */
  readonly href: string | undefined;
}

/** The RFCs that a reference of the service names, as in `RFC 8880; RFC 7050, section 2.2`, each with its page. */
export function rfcLinks(reference: string): TextLink[] {
  return reference.split("; ").map((text) => {
    const [, number, section] = /^RFC (\d+)(?:, section ([\d.]+))?$/.exec(text) ?? [];
    const page = `https://www.rfc-editor.org/rfc/rfc${number}`;
    return {
      text,
      href: number === undefined ? undefined : section === undefined ? page : `${page}#section-${section}`,
    };
  });
}
