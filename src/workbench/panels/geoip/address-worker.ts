import { namesOfKind } from "../../../text/column-names.js";
import { createAddressFinder } from "../../../text/find-address.js";
import { IP_ADDRESS } from "../../../text/recognize-input.js";
import { serveWork } from "../../list/work/serve-work.js";
import { ADDRESS_COLUMNS, type AddressResults, addressAnswers, mapOf } from "./address-answers.js";

serveWork({
  method: "GeoIpService/BatchLookupIps",
  requestOf: (inputs) => ({ ip_addresses: inputs, view: "LOOKUP_VIEW_FULL" }),
  answersOf: (response: AddressResults) => addressAnswers(response),
  columns: ADDRESS_COLUMNS,
  overviewOf: mapOf,
  itemName: "address",
  maxLength: 300,
  looksRight: (text) => IP_ADDRESS.test(text),
  columnName: namesOfKind("address"),
  createFinder: () => createAddressFinder("client"),
});
