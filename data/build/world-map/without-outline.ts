/**
 * The countries and territories that are too small for outlines at 1:110,000,000. The map shows them only with a marker.
 * The build fails if other countries have no outline.
 */
export const WITHOUT_OUTLINE: ReadonlySet<string> = new Set(
  (
    "AD AG AI AS AW AX BB BH BL BM BQ BV CC CK CV CW CX DM FM FO GD GG GI GP GS GU HK HM IM IO JE KI KM KN KY LC LI MC " +
    "MF MH MO MP MQ MS MT MU MV NF NR NU PF PM PN PW RE SC SG SH SM ST SX TC TK TO TV UM VA VC VG VI WF WS YT"
  ).split(" "),
);
