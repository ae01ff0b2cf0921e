/** The languages with names of countries, as BCP 47 tags. A test compares them with the data. */
export const NAME_LANGUAGES: readonly string[] =
  "af am ar az be bg bn bs ca cs cy da de de-AT de-CH dz el en es es-MX et eu fa fi fil fo fr ga gl gu ha he hi hr hu hy id ig is it ja jv ka kk km kn ko ky lb lo lt lv mk ml mn mr ms mt my nb ne nl nn or pa pl ps pt pt-PT rm ro ru si sk sl so sq sr sr-Latn sv sw ta te tg th ti tk tr uk ur uz vi yo yue zh zh-Hant zu".split(
    " ",
  );

/** Names that Chromium does not know. */
const OTHER_NAMES: Readonly<Record<string, string>> = { dz: "Dzongkha" };

/**
 * Returns the languages with their English names, in the order of these.
 *
 * @param nameOf returns the name of a language, or its tag if it is not known
 */
export function languageChoices(
  nameOf: (tag: string) => string | undefined,
): { tag: string; title: string }[] {
  const titleOf = (tag: string) => {
    const name = nameOf(tag);
    return name === undefined || name === tag ? (OTHER_NAMES[tag] ?? tag) : name;
  };
  return NAME_LANGUAGES.map((tag) => ({ tag, title: titleOf(tag) })).sort((one, other) =>
    one.title.localeCompare(other.title, "en"),
  );
}
