import { plural } from "../../../diagnostic/count.ts"
import type { Profile } from "../Profile.ts"
import { countFiles } from "../tables/facts/alikeFiles.ts"

/** The lines that a profile suggests: as a whole mapping file with a head, or to be put into one. */
export const overlayText = (
  { encounters, records, suggestions, tables }: Profile,
  head: { readonly mapping: string; readonly extends: string } | null
): string =>
  [
    records === 0 && tables.length > 0
      ? `# Suggested by \`fhir2visit profile\` for ${plural(countFiles(tables), "file")} of tables, ${
        plural(tables.reduce((sum, { rows }) => sum + rows, 0), "row")
      } in all.`
      : `# Suggested by \`fhir2visit profile\` for ${plural(records, "record")}, ${
        plural(encounters.records, "encounter")
      } among them.`,
    ...(suggestions.substitutes.length > 0
      ? [
        "# Lines marked \"assumption\" send a value that this data never has. Each has a name, and a warning in each of its visits:",
        "# accept or change each before anything is sent."
      ]
      : []),
    ...(suggestions.questions === undefined ? [] : [
      "# Lines marked \"QUESTION\" are guesses that only people can confirm: answer each before anything is sent."
    ]),
    ...(suggestions.proposals === undefined ? [] : [
      "# Rows marked \"a proposal\" translate a code of SNOMED CT to ICD-10, as the shipped mapping `us-synthetic` does. They were",
      "# chosen by hand for synthetic records: a coding expert must confirm each before anything is sent."
    ]),
    ...(head === null ? [] : [`mapping: ${head.mapping}`, `extends: ${head.extends}`, ""]),
    suggestions.overlay
  ].join("\n")
