import type { State } from "../../../src/tools/countries/country.js";
import { applyChange, type Change, checkAllUsed } from "./change.js";
import {
  MISSING,
  NOT_IN_ISO,
  RECODED,
  REFORMS,
  STRAY_CODES,
  SUFFIXES,
} from "./corrections/state-corrections.js";
import type { DatabaseState, Sources } from "./sources.js";
import {
  ISO_NAMES,
  LOCAL_SCRIPT,
  LOCAL_SCRIPT_NAMES,
  STATE_NAMES,
  STATE_TYPES,
  type StateChanges,
} from "./state-names.js";

/** A state of the database, with missing values added and codes corrected. */
interface Row {
  readonly name: string;
  readonly type: string;
  readonly native: string;
}

/**
 * Builds the states of all countries, by the country's alpha-2 code. The codes are those of ISO 3166-2 and of later
 * reforms; names and types are from the database.
 */
export function buildStates(sources: Sources): ReadonlyMap<string, readonly State[]> {
  const isoNames = currentIsoNames(sources.isoStates);
  const rows = databaseRows(sources.databaseStates, isoNames);
  const parents = parentsOf(sources, isoNames);
  const names = correction(STATE_NAMES, "the name");
  const types = correction(STATE_TYPES, "the type");
  const local = correction(LOCAL_SCRIPT_NAMES, "the local name");
  const iso = correction(ISO_NAMES, "the ISO name");

  const states = new Map<string, State[]>();
  for (const [code, isoName] of [...isoNames].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const row = rows.get(code);
    if (row === undefined) {
      throw new Error(`${code} ${isoName} is in ISO 3166-2 but not in the database`);
    }
    const country = code.slice(0, 2);
    const name = names.apply(code, withoutSuffix(country, clean(row.name)));
    const native =
      LOCAL_SCRIPT.has(country) && row.native !== ""
        ? local.apply(code, clean(row.native))
        : inOrder(clean(iso.apply(code, isoName)));
    states.set(country, [
      ...(states.get(country) ?? []),
      {
        code,
        name,
        nativeName: native === name ? "" : native,
        type: types.apply(code, row.type.toLowerCase()),
        parent: parents.get(code) ?? "",
      },
    ]);
  }
  for (const table of [names, types, local, iso]) {
    table.checkAllUsed();
  }
  return states;
}

/** The current codes with their names in iso-3166; new codes have an empty name. */
function currentIsoNames(isoStates: Sources["isoStates"]): Map<string, string> {
  const names = new Map(isoStates.map(({ code, name }) => [code, name]));
  const remove = (code: string) => {
    if (!names.delete(code)) {
      throw new Error(`the correction of ${code} is stale: iso-3166 does not have it`);
    }
  };
  STRAY_CODES.flatMap(({ codes }) => codes).forEach(remove);
  for (const { added, removed } of REFORMS) {
    removed.forEach(remove);
    for (const code of added) {
      if (names.has(code)) {
        throw new Error(`the correction of ${code} is stale: iso-3166 has it`);
      }
      names.set(code, "");
    }
  }
  return names;
}

/** The rows of the database by their corrected code. Omits its codes for countries without codes in ISO 3166-2. */
function databaseRows(
  database: ReadonlyMap<string, readonly DatabaseState[]>,
  isoNames: ReadonlyMap<string, string>,
): ReadonlyMap<string, Row> {
  const coded = new Set([...isoNames.keys()].map((code) => code.slice(0, 2)));
  const recoded = new Map(RECODED.flatMap(({ codes }) => Object.entries(codes)));
  const notInIso = new Set(NOT_IN_ISO.flatMap(({ codes }) => codes));
  const used = new Set<string>();
  const rows = new Map<string, Row>();
  const add = (code: string, row: Row) => {
    if (rows.has(code) || !isoNames.has(code)) {
      throw new Error(
        `${code} ${row.name} in the database is ${rows.has(code) ? "there twice" : "not in ISO 3166-2"}`,
      );
    }
    rows.set(code, row);
  };
  for (const [country, list] of database) {
    for (const { name, type, native, iso3166_2: code } of list) {
      // Rows without a code are military post offices of the US; rows with the code of another country are duplicates.
      if (code === null || !code.startsWith(`${country}-`) || !coded.has(country)) {
        continue;
      }
      used.add(code);
      if (!notInIso.has(code)) {
        add(recoded.get(code) ?? code, { name, type: type ?? "", native: native ?? "" });
      }
    }
  }
  for (const { code, name, type } of MISSING) {
    add(code, { name, type, native: "" });
  }
  checkAllUsed("the database of states", [...recoded.keys(), ...notInIso], used);
  return rows;
}

/** The parent of each subdivision: from iso-3166 for most countries, from CLDR for the others. */
function parentsOf(sources: Sources, isoNames: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const [whole, parts] of sources.subdivisions) {
    for (const part of isoNames.has(whole) ? parts : []) {
      parents.set(part, whole);
    }
  }
  for (const { code, parent } of sources.isoStates) {
    if (isoNames.has(parent)) {
      parents.set(code, parent);
    }
  }
  return parents;
}

/** Normalizes hyphens, and removes white space around a name, direction marks, and a note in parentheses. */
function clean(name: string): string {
  return name
    .normalize("NFC")
    .replace(/[\u200e\u200f]/g, "")
    .replace(/\u2013/g, "-")
    .replace(/\s*\([^()]*\)\s*$/, "")
    .trim();
}

/** `Principado de Asturias` for ISO's `Asturias, Principado de`. */
function inOrder(name: string): string {
  const inverted =
    /^(?<name>[^,]+), (?<kind>Principado de|Comunidad de|Región de|Comunidad Foral de|Comunidad|Respublika|City of|County|The)$/.exec(
      name,
    );
  const { kind, name: rest } = inverted?.groups ?? {};
  return kind === undefined || rest === undefined ? name : `${kind} ${rest}`;
}

function withoutSuffix(country: string, name: string): string {
  const suffix = SUFFIXES[country]?.find((word) => name.endsWith(word));
  return suffix === undefined ? name : name.slice(0, -suffix.length);
}

/** Creates a table of corrections that records which of them were used. */
function correction(groups: StateChanges, what: string) {
  const changes = new Map<string, Change<string>>(groups.flatMap(({ changes }) => Object.entries(changes)));
  const used = new Set<string>();
  return {
    apply(code: string, value: string): string {
      used.add(code);
      return applyChange(value, changes.get(code), `${what} of ${code}`);
    },
    checkAllUsed: () => checkAllUsed(what, changes.keys(), used),
  };
}
