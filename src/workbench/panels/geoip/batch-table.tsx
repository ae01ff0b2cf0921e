import {
  IpLocationSchema,
  type IpLookup,
  IpLookupSchema,
  type IpMetadata,
  IpMetadataSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { Flag } from "../../flags/flag.js";
import { useDrawsFlags } from "../../flags/use-draws-flags.js";
import { FieldValue, fieldValueOf } from "../../kit/fact-list.js";
import { FieldTable } from "../../kit/field-table.js";

/** What of an address stands in the table beside its country. */
const COLUMNS = [IpMetadataSchema.field.asnName, IpMetadataSchema.field.subnet];

interface BatchTableProps {
  readonly results: readonly IpLookup[];
  /** What a country is called, by its alpha-2 code. */
  readonly nameOf: (code2: string) => string;
}

/** What came of each address of a batch, one row each: its answer or its error. */
export function BatchTable({ results, nameOf }: BatchTableProps) {
  const isDrawn = useDrawsFlags();
  return (
    <FieldTable
      fields={[IpLookupSchema.field.input, IpLocationSchema.field.country, ...COLUMNS]}
      name={{ text: "Results" }}
    >
      {results.map(({ input, outcome }, index) => (
        <tr key={index}>
          <th scope="row" class="code">
            {input}
          </th>
          {outcome.case === "answer" && outcome.value.metadata !== undefined && (
            <Answer metadata={outcome.value.metadata} nameOf={nameOf} isDrawn={isDrawn} />
          )}
          {outcome.case === "error" && (
            <td class="table-error" colSpan={COLUMNS.length + 1}>
              {outcome.value.message}
            </td>
          )}
        </tr>
      ))}
    </FieldTable>
  );
}

interface AnswerProps {
  readonly metadata: IpMetadata;
  readonly nameOf: (code2: string) => string;
  readonly isDrawn: boolean;
}

function Answer({ metadata, nameOf, isDrawn }: AnswerProps) {
  const code = metadata.location?.country ?? "";
  return (
    <>
      <td>
        {code === "" ? (
          <FieldValue field={IpLocationSchema.field.country} value={code} />
        ) : (
          <span class="geoip-cell">
            <Flag code={code} isDrawn={isDrawn} /> {nameOf(code)}
          </span>
        )}
      </td>
      {COLUMNS.map((field) => (
        <td key={field.localName}>
          <FieldValue field={field} value={fieldValueOf(metadata, field)} />
        </td>
      ))}
    </>
  );
}
