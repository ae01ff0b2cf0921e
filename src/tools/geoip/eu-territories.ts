/**
 * What is in the European Union, by ISO 3166-1 alpha-2 code: the 27 member states, and those of their
 * territories with a code of their own to which the Union's treaties apply: Åland (AX) and the outermost
 * regions French Guiana (GF), Guadeloupe (GP), Saint Martin (MF), Martinique (MQ), Réunion (RE), Mayotte (YT).
 * Treaty on the Functioning of the European Union, articles 349 and 355:
 * http://data.europa.eu/eli/treaty/tfeu_2016/oj
 */
const EU_TERRITORIES: ReadonlySet<string> = new Set(
  (
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK " +
    "AX GF GP MF MQ RE YT"
  ).split(" "),
);

/** Whether a territory, by its ISO 3166-1 alpha-2 code, is in the European Union. */
export function isInEuropeanUnion(country: string): boolean {
  return EU_TERRITORIES.has(country);
}
