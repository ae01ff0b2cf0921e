import { expect, test } from "vitest";
import { columnNames, writeListFile } from "../../../../src/workbench/list/work/list-file.js";
import { SAMPLE_LIST } from "./sample-list.js";

test("writes CSV with the fields, the values and the error of each row", async () => {
  const file = writeListFile(SAMPLE_LIST, [2, 0, 1], "csv", ",");
  expect(file.type).toBe("text/csv;charset=utf-8");
  // Blob.text removes the byte order mark.
  expect([...new Uint8Array(await file.slice(0, 3).arrayBuffer())]).toEqual([0xef, 0xbb, 0xbf]);
  expect(await file.text()).toBe(
    [
      "name,ip,city,city_2,lat,eu,error",
      '"Zoë, ""Z""",193.0.6.139,,,52.4,true,',
      "'=Jane,8.8.8.8,home,Mountain View,-37.4,false,",
      "Joe,10.0.0.1,,,,,private",
      "",
    ].join("\r\n"),
  );
});

test("writes JSON with unchanged values", async () => {
  const file = writeListFile(SAMPLE_LIST, [0, 1], "json", ",");
  expect(file.type).toBe("application/json");
  expect(JSON.parse(await file.text())).toEqual([
    { name: "=Jane", ip: "8.8.8.8", city: "home", city_2: "Mountain View", lat: -37.4, eu: false, error: "" },
    { name: "Joe", ip: "10.0.0.1", city: "", city_2: "", lat: "", eu: "", error: "private" },
  ]);
});

test("writes many rows, and none", async () => {
  const rows = Array.from({ length: 4_500 }, (_, row) => row % 3);
  expect(JSON.parse(await writeListFile(SAMPLE_LIST, rows, "json", ",").text())).toHaveLength(4_500);
  expect((await writeListFile(SAMPLE_LIST, rows, "csv", ";").text()).split("\r\n")).toHaveLength(4_502);
  expect(JSON.parse(await writeListFile(SAMPLE_LIST, [], "json", ",").text())).toEqual([]);
});

test.each([
  ["ip", "ip,city,error"],
  ["city,city_2,city", "city,city_2,city_3,city_4,error"],
  [" ,error", "column_1,error,city,error_2"],
])("names the columns of %j", (header, names) => {
  expect(columnNames({ header: header.split(","), columns: ["city"] }).join()).toBe(names);
});
