/** The languages with names of countries, as BCP 47 tags. A test compares them with the data. */
export const NAME_LANGUAGES: readonly string[] =
  "af am ar az be bg bn bs ca cs cy da de de-AT de-CH dz el en es es-MX et eu fa fi fil fo fr ga gl gu ha he hi hr hu hy id ig is it ja jv ka kk km kn ko ky lb lo lt lv mk ml mn mr ms mt my nb ne nl nn or pa pl ps pt pt-PT rm ro ru si sk sl so sq sr sr-Latn sv sw ta te tg th ti tk tr uk ur uz vi yo yue zh zh-Hant zu".split(
    " ",
  );

/** Returns the languages with their English names, in the order of these. */
export function languageChoices(): { tag: string; title: string }[] {
  const names = new Intl.DisplayNames("en", { type: "language" });
  return NAME_LANGUAGES.map((tag) => ({ tag, title: names.of(tag) ?? tag })).sort((one, other) =>
    one.title.localeCompare(other.title, "en"),
  );
}
