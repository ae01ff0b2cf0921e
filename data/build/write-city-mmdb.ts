import { writeFileSync } from "node:fs";
import { readCityMmdb } from "./cities/read-package.js";

// Writes the MMDB file that data/city.columns is made from to the path in the first argument.
const [path = ""] = process.argv.slice(2);
writeFileSync(path, readCityMmdb());
