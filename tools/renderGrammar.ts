import * as facility from "../src/facility/settings/facilityGrammar.ts"
import * as service from "../src/facility/settings/serviceGrammar.ts"
import * as source from "../src/facility/settings/sourceGrammar.ts"
import { validationKeys } from "../src/facility/settings/validationGrammar.ts"
import * as conceptMaps from "../src/mapping/language/grammar/conceptMapGrammar.ts"
import * as grouping from "../src/mapping/language/grammar/groupingGrammar.ts"
import { defaultOf, type Key, type Keys } from "../src/mapping/language/grammar/Kind.ts"
import * as grammar from "../src/mapping/language/grammar/mappingGrammar.ts"
import * as tables from "../src/mapping/language/grammar/tableGrammar.ts"

/** A heading of a reference page, with the keys under it. */
interface Part {
  readonly heading: string
  readonly about?: string
  readonly keys: Keys
  /** The section of the settings, as other pages name it: `retry: delay`. */
  readonly within?: string
}

const cell = (text: string): string => text.replaceAll("|", "\\|")

const usual = (key: Key<unknown>): string => {
  if (key.required !== undefined) return "required"
  const found = defaultOf(key)
  return found === undefined ? "" : key.otherwise === undefined ? `\`${found}\`` : found
}

const means = ({ doc, example }: Key<unknown>): string => example === undefined ? doc : `${doc} \`${example}\``

const render = ({ about = "", heading, keys, within }: Part): string =>
  [
    `## ${heading}`,
    "",
    ...(about === "" ? [] : [about, ""]),
    `| ${within === undefined ? "key" : "setting"} | value | default | means |`,
    "|---|---|---|---|",
    ...Object.entries(keys).map(([name, key]) =>
      `| \`${within === undefined ? name : `${within}: ${name}`}\` | ${cell(key.kind.shown)} | ${cell(usual(key))} | ${
        cell(means(key))
      } |`
    )
  ].join("\n")

/** docs/reference/mapping.md: every key of a mapping file, as the check and the schema of editors know it. */
export const renderMappingGrammar = (): string =>
  `# The keys of a mapping file

Every key, what its value can be, and what applies without it. [The mapping language](../mapping.md) explains them with examples.
The value \`null\` removes a key of the mapping below. A "required" key can be in the mapping, or in one that it extends.

${
    [
      { heading: "The file", keys: grammar.mappingKeys },
      { heading: "`time:`", keys: grammar.timeKeys },
      { heading: "`text:`", keys: grammar.textKeys },
      { heading: "`stated:`", keys: grammar.statedKeys },
      { heading: "`assumption:`", about: "Under the name of an assumption.", keys: grammar.assumptionKeys },
      {
        heading: "`accept:`",
        about: "Under the name of an assumption, if its value is not a text.",
        keys: grammar.acceptanceKeys
      },
      { heading: "`conceptMap:`", about: "Under the name of a concept map.", keys: conceptMaps.conceptMapKeys },
      {
        heading: "A row of `table:`",
        about: "Under a code, if its value is not a text.",
        keys: conceptMaps.conceptRowKeys
      },
      {
        heading: "`otherSystem:`",
        about: "What is assumed of a code of another system.",
        keys: conceptMaps.otherSystemKeys
      },
      { heading: "`unmapped:`", about: "If its value is not a word.", keys: conceptMaps.unmappedKeys },
      {
        heading: "`function:`",
        about: "Under the name of a function, if its value is not a path.",
        keys: grammar.functionKeys
      },
      { heading: "`grouping:`", keys: grouping.groupingKeys },
      { heading: "`window:` of `grouping:`", about: "Under a type.", keys: grouping.windowKeys },
      { heading: "`bundle:` of `grouping:`", keys: grouping.bundlesKeys },
      { heading: "A type of Bundles", about: "`where` only under `document`.", keys: grouping.documentKeys },
      { heading: "`key:`", about: "Under the name of a key, if its value is not a path.", keys: grammar.keyKeys },
      {
        heading: "A section of the visit",
        about: "Together with the fields of the section, and with those of each branch of `unionAll`.",
        keys: grammar.componentKeys
      },
      { heading: "An item of `orderBy:`", about: "If it is not the name of a field.", keys: grammar.orderKeys },
      { heading: "A field of the visit", about: "If its value is not a path.", keys: grammar.fieldKeys },
      { heading: "`unit:`", about: "If its value is not a unit.", keys: grammar.unitKeys },
      { heading: "A path with a remark", keys: grammar.pathRemarkKeys },
      { heading: "A value with a remark", keys: grammar.valueRemarkKeys },
      {
        heading: "`table:`",
        about: "Under the name of a table. [CSV](../csv.md) explains them.",
        keys: tables.tableKeys
      },
      { heading: "A column", about: "Under its name, if its value is not a type.", keys: tables.columnKeys },
      {
        heading: "Columns to fill down",
        about: "Under `fillDown`, if its value is not the columns.",
        keys: tables.fillDownKeys
      },
      { heading: "A link", about: "Under its name, if its value is not the name of a table.", keys: tables.linkKeys },
      { heading: "`format:` of a table", keys: tables.formatKeys }
    ].map(render).join("\n\n")
  }

This page is printed from \`src/mapping/language/grammar\`; \`UPDATE=1 npx vitest run test/docs/grammar.test.ts\` prints it again.
`

/** docs/reference/facility.md: every setting of a facility, as the program reads it. */
export const renderFacilityGrammar = (): string =>
  `# The settings of a facility

Every key of \`facility.yaml\`, what its value can be, and what applies without it. Paths of files are relative to its folder.
A length of time is a number and its unit: \`90s\`, \`15m\`, \`1h\`, \`7d\`. Secrets are never in this file; they come from
the [environment](../operations.md#the-environment).

${
    [
      render({ heading: "The file", keys: facility.facilityKeys }),
      ...Object.entries({
        service: service.serviceKeys,
        auth: service.authKeys,
        limits: service.limitsKeys,
        submit: service.submitKeys,
        "submit: messages": service.messagesKeys,
        retry: service.retryKeys,
        reconcile: service.reconcileKeys,
        reference: service.referenceKeys,
        processed: service.processedKeys,
        "processed: fields": service.processedFieldsKeys,
        beneficiary: service.beneficiaryKeys,
        validation: validationKeys,
        gazetteer: facility.gazetteerKeys,
        source: source.sourceKeys,
        "source: certificate": source.certificateKeys
      }).map(([within, keys]) => render({ heading: `\`${within}:\``, keys, within }))
    ].join("\n\n")
  }

This page is printed from \`src/facility/settings\`; \`UPDATE=1 npx vitest run test/docs/grammar.test.ts\` prints it again.
`
