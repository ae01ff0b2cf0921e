import { openPackage } from "../countries/read-packages.js";
import { buildOutlines, type WorldTopology } from "./build-world-map-data.js";

/**
 * Writes `world-map.json` from the installed package for these countries: the source, and one line per outline, so that
 * changes are readable.
 */
export function worldMapText(countries: Parameters<typeof buildOutlines>[1]): string {
  const source = openPackage("world-atlas", {
    name: "Natural Earth",
    publisher: "Natural Earth",
    url: "https://www.naturalearthdata.com",
    attribution: "Made with Natural Earth, by way of world-atlas, copyright 2013-2019 Michael Bostock.",
  });
  const topology = source.json<WorldAtlas>("countries-110m.json");
  const outlines = buildOutlines({ topology, shapes: topology.objects.countries.geometries }, countries);
  const lines = Object.entries(outlines).map((entry) => entry.map((text) => JSON.stringify(text)).join(":"));
  return `{"source":${JSON.stringify(source.record())},\n"outlines":{\n${lines.join(",\n")}\n}}\n`;
}

/** The content of `countries-110m.json`. */
type WorldAtlas = WorldTopology["topology"] & {
  readonly objects: { readonly countries: { readonly geometries: WorldTopology["shapes"] } };
};
