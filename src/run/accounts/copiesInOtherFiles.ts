import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { MappingPlan } from "../../mapping/MappingPlan.ts"

/**
 * Reports rows without a key, and FHIR records without a name, that several files have. They are one if the files overlap, and otherwise
 * several, such as the same charge on two days. `copies`: those that are not used because an equal one is, by type.
 */
export const copiesInOtherFiles = (
  { tables }: Pick<MappingPlan, "tables">,
  copies: ReadonlyMap<string, number>
): ReadonlyArray<Diagnostic> =>
  Array.from(copies, ([type, times]) => {
    const table = tables.find(({ name }) => name === type)
    return {
      code: "duplicate-record",
      severity: "warning",
      title: table === undefined
        ? `${type} records without an id have the same content as those of another file or Bundle: each counts once`
        : `rows of \`${type}\` have the same values as rows of another file: each counts once`,
      ...(table === undefined ? {} : { mapping: table.span }),
      help: [
        "this is right if both hold the same export, or the same days",
        table === undefined
          ? "if they are different records, export them with their ids"
          : "if they are different rows, declare the column in which they differ, such as a time or a number"
      ],
      times
    }
  })
