import { compareTexts } from "../../compareTexts.ts"
import { number, plural } from "../../diagnostic/count.ts"
import { columns } from "../../diagnostic/render/columns.ts"
import { displayWidth, printable } from "../../diagnostic/render/printable.ts"
import { cut } from "../../diagnostic/shown.ts"
import type { ShownSystem } from "./fhir/Codes.ts"
import type { LinksOfType } from "./fhir/Links.ts"
import type { Frequencies, Profile } from "./Profile.ts"
import { formatColumn, formatLink } from "./tables/columns/formatColumn.ts"
import { countFiles } from "./tables/facts/alikeFiles.ts"
import type { ColumnProfile, TableProfile } from "./tables/facts/TableProfile.ts"

/** Maximum length of each list in the text output; JSON and HTML have all of it. */
const shownTypes = 40
const shownElements = 24
const shownCodes = 6
const shownTables = 60
const shownColumns = 60

/** A profile for people. */
export const renderProfile = (profile: Profile): string =>
  sectionsOf(profile).map(({ lines, title }) =>
    [title, ...lines.map((line) => (line === "" ? "" : `  ${line}`))].join("\n")
  )
    .join("\n\n")

interface Section {
  readonly title: string
  readonly lines: ReadonlyArray<string>
}

const sectionsOf = (profile: Profile): ReadonlyArray<Section> =>
  [
    ...(profile.tables.length > 0 && profile.records === 0
      ? []
      : [{ title: headline(profile), lines: typeLines(profile), always: true }]),
    { title: tableHeadline(profile), lines: [], always: profile.tables.length > 0 },
    ...profile.tables.slice(0, shownTables).map((table) => ({ title: tableTitle(table), lines: tableLines(table) })),
    { title: "Elements, and how many records of the type have them", lines: elementLines(profile) },
    { title: "Identifiers", lines: identifierLines(profile) },
    { title: "Codes", lines: codeLines(profile) },
    { title: "Dates", lines: dateLines(profile) },
    { title: "References", lines: referenceLines(profile) },
    { title: "How records reach an encounter", lines: linkLines(profile.links) },
    { title: "Encounters", lines: encounterLines(profile) },
    { title: "Languages and scripts", lines: scriptLines(profile) }
  ].filter(({ always, lines }: Section & { readonly always?: boolean }) => always === true || lines.length > 0)

const tableHeadline = ({ tables, unreadable }: Profile): string =>
  [
    `${plural(countFiles(tables), "file")} of tables`,
    plural(tables.reduce((sum, { rows }) => sum + rows, 0), "row"),
    ...(unreadable > 0 ? [`${number(unreadable)} unreadable`] : []),
    ...(tables.length > shownTables
      ? [plural(tables.length - shownTables, "is not shown here", "are not shown here")]
      : [])
  ].join("      ")

const tableTitle = ({ declared, delimiter, encoding, file, guessed, name, rows, several }: TableProfile): string =>
  [
    several === undefined ? printable(file) : `${printable(file)} and ${plural(several.count - 1, "file")} like it`,
    plural(rows, "row"),
    `${delimiter}, ${encoding}${guessed ? " (a guess)" : ""}`,
    ...(declared ? [`the mapping reads it as ${name}`] : [])
  ].join("      ")

const tableLines = (table: TableProfile): ReadonlyArray<string> => {
  const shown = table.columns.slice(0, shownColumns)
  const rest = table.columns.length - shown.length
  return [
    ...(table.rows === 0 ? [] : [
      table.keys.length === 0
        ? table.pair === undefined
          ? "key: no unique key column"
          : `key: ${table.pair.map((key) => printable(key)).join(" and ")} together`
        : `key: ${table.keys.slice(0, 3).map((key) => printable(key)).join(", or ")}${
          table.keyFaults === undefined ? "" : `, but ${faultyKey(table.keyFaults)}`
        }${
          table.visitRows === undefined
            ? ""
            : `, but ${plural(table.visitRows.repeats, "row repeats", "rows repeat")} that of another`
        }`
    ]),
    ...table.links.map(formatLink),
    ...columns(shown.map((column) => [
      `  ${printable(column.name)}`,
      percent(column.share),
      column.kind,
      cut([...formatColumn(column, table), ...codeWords(column)].join("; "), 140)
    ])),
    ...(rest > 0 ? [`  and ${plural(rest, "other column")}`] : [])
  ]
}

/** What is wrong with some rows of a key. */
const faultyKey = (rows: number): string =>
  `${plural(rows, "row has", "rows have")} no value in it, or that of another row`

const codeWords = ({ codes, withheld }: ColumnProfile): ReadonlyArray<string> =>
  codes.length === 0 ? withheld > 0 ? [`${number(withheld)} not shown`] : [] : [
    `${listed(codes, 6)}${withheld > 0 ? `, ${number(withheld)} not shown` : ""}`
  ]

const percent = (share: number): string =>
  share > 0.995 && share < 1 ? "> 99 %" : share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(share * 100)} %`

const listed = (frequencies: Frequencies, limit = 8): string => {
  const shown = frequencies.slice(0, limit).map(([name, count]) => `${printable(name)} ${number(count)}`)
  return [...shown, ...(frequencies.length > limit ? [`and ${plural(frequencies.length - limit, "other")}`] : [])].join(
    ", "
  )
}

const headline = ({ again, bundles, contained, deletions, files, records, unreadable }: Profile): string =>
  [
    `${plural(records, "record")} in ${plural(files, "file")}`,
    ...(unreadable > 0 ? [`${number(unreadable)} unreadable`] : []),
    ...(again.same > 0 ? [plural(again.same, "of them a copy", "of them copies")] : []),
    ...(again.older > 0
      ? [`${plural(again.older, "older version", "older versions")} of a record, not counted below`]
      : []),
    ...(again.changed > 0
      ? [`${plural(again.changed, "other version", "other versions")} of a record, counted below, too`]
      : []),
    ...(deletions > 0 ? [plural(deletions, "deletion")] : []),
    ...(bundles.length > 0 ? [`Bundles: ${listed(bundles)}`] : []),
    ...(contained.length > 0 ? [`contained: ${listed(contained)}`] : [])
  ].join("      ")

const typeLines = ({ types }: Profile): ReadonlyArray<string> => {
  const shown = types.slice(0, shownTypes)
  const width = Math.max(0, ...shown.map(({ records }) => number(records).length))
  return [
    ...shown.map(({ records, type }) => `${number(records).padStart(width)}  ${type}`),
    ...(types.length > shownTypes ? [`and ${plural(types.length - shownTypes, "other type")}`] : [])
  ]
}

const elementLines = ({ types }: Profile): ReadonlyArray<string> =>
  types.slice(0, shownTypes).flatMap(({ elements, type, withheld }) => {
    const own = elements.filter(({ path }) =>
      !path.slice(type.length + 1).replaceAll(/'[^']*'|\.ofType\(\w+\)$/gu, "").includes(".")
    )
      .filter(({ path }) => path !== `${type}.id`)
      .toSorted((a, b) => b.records - a.records || compareTexts(a.path, b.path))
    const shown = own.slice(0, shownElements).map(({ path, share, unknown }) =>
      `${printable(shortened(path.slice(type.length + 1)))} ${percent(share)}${unknown === true ? " (not of R4)" : ""}`
    )
    const rest = own.length - Math.min(own.length, shownElements)
    return wrapped(type, [
      ...shown,
      ...(rest > 0 ? [`and ${plural(rest, "other")}`] : []),
      ...(withheld > 0 ? [`${number(withheld)} not named`] : [])
    ])
  })

/** An extension by the end of its address. */
const shortened = (path: string): string => path.replace(/extension\('[^']*\/([^'/]+)\/?'\)/gu, "extension('…/$1')")

const wrapped = (name: string, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of words) {
    const next = line === "" ? word : `${line}, ${word}`
    if (displayWidth(next) > 96 && line !== "") {
      lines.push(`${line},`)
      line = word
    } else line = next
  }
  if (line !== "") lines.push(line)
  return [name, ...lines.map((one) => `  ${one}`)]
}

const identifierLines = ({ identifiers }: Profile): ReadonlyArray<string> =>
  identifiers.filter(({ element }) => /^\w+\.identifier$/u.test(element)).flatMap(({ element, systems }) => [
    element,
    ...columns(
      systems.slice(0, 8).map(({ different, hidden, kinds, records, several, system }) => [
        `  ${number(records)}`,
        nameOf(system, hidden),
        different === null ? "very many values" : plural(different, "value"),
        [
          ...(kinds.length > 0 ? [kinds.map(([kind]) => kind).slice(0, 4).join(" ")] : []),
          ...(several > 0 ? [`${number(several)} more than once in a record`] : [])
        ]
          .join(", ")
      ])
    )
  ])

const nameOf = (system: string | null, hidden: boolean): string =>
  hidden ? "(a system that is not shown)" : system === null ? "(no system)" : printable(system)

/** Elements whose codes decide how a record is used, then the other coded ones. */
const coded =
  /^(?:Encounter|Observation|Condition|Procedure|DiagnosticReport|Medication\w*|ServiceRequest|ImagingStudy|Immunization|AllergyIntolerance|Patient|Invoice|ChargeItem|Claim|Coverage)\.(?:status|class|type|code|category|priority|gender|maritalStatus|vaccineCode|serviceType|hospitalization\.(?:admitSource|dischargeDisposition)|medication\.ofType\(CodeableConcept\)|payor|language|communication\.language|component\.code|use|clinicalStatus)$/u

const codeLines = ({ codes }: Profile): ReadonlyArray<string> =>
  codes.filter(({ element }) => coded.test(element)).flatMap(({ element, systems, words }) => [
    `${element}${words > 0 ? `   ${number(words)} in words only` : ""}`,
    ...systems.slice(0, 6).flatMap(systemLines)
  ])

const systemLines = (one: ShownSystem): ReadonlyArray<string> => [
  `  ${number(one.count)} × ${nameOf(one.system, one.hidden)}, ${plural(one.different, "code")}${
    one.withheld > 0 ? ` (${number(one.withheld)} not shown)` : ""
  }`,
  ...columns(
    one.codes.slice(0, shownCodes).map(({ code, count, display }) => [
      `      ${number(count)} ×`,
      printable(code),
      display === null ? "" : printable(cut(display, 60))
    ])
  )
]

const dateLines = ({ dates }: Profile): ReadonlyArray<string> =>
  dates.forms.length === 0
    ? []
    : [
      `forms: ${listed(dates.forms)}`,
      ...(dates.offsets.length > 0 ? [`offsets: ${listed(dates.offsets)}`] : []),
      ...odd(dates)
    ]

/** Elements that lack a part of a timestamp, listed by name. */
const odd = ({ elements }: Profile["dates"]): ReadonlyArray<string> => {
  const lacking = elements.flatMap(({ element, forms }) => {
    const loose = forms.filter(([form]) =>
      form === "time without offset" || form === "another form" || form === "year" || form === "month"
    )
    return loose.length === 0 ? [] : [`${element}: ${listed(loose)}`]
  })
  return lacking.slice(0, 12)
}

const referenceLines = ({ references }: Profile): ReadonlyArray<string> => {
  const lacking = references.elements.filter(({ unresolved }) => unresolved > 0).toSorted((a, b) =>
    b.unresolved - a.unresolved || compareTexts(a.element, b.element)
  )
  return [
    ...(references.styles.length > 0 ? [`styles: ${listed(references.styles, 12)}`] : []),
    ...references.servers.map(([base, count]) =>
      `${
        plural(count, "reference has", "references have")
      } the address ${base}, which no record has: a facility names it as  sameServer:`
    ),
    ...(lacking.length > 0 ? ["targets that are not in the input"] : []),
    ...columns(
      lacking.slice(0, 15).map(({ element, resolved, targets, unresolved }) => [
        `  ${element}`,
        `${number(unresolved)} of ${number(resolved + unresolved)}`,
        targets.slice(0, 3).map(([type]) => type).join(" ")
      ])
    ),
    ...(lacking.length > 15 ? [`  and ${plural(lacking.length - 15, "other element")}`] : []),
    ...(references.overflown ? ["there are more references than can be looked up: these are not all"] : [])
  ]
}

const linkLines = (links: ReadonlyArray<LinksOfType>): ReadonlyArray<string> =>
  columns(links.map(({ inDocument, namedBy, none, paths, records, type, withPatientAndTime }) => [
    `${number(records)} ${type}`,
    [
      ...paths.map(({ found, path, records: of }) =>
        `${number(of)} by ${path.slice(type.length + 1)}${
          found < of ? ` (${number(of - found)} not in the input)` : ""
        }`
      ),
      ...namedBy.map(([element, count]) => `${number(count)} through ${element}`),
      ...(inDocument > 0 ? [`${number(inDocument)} by their document`] : []),
      ...(none > 0
        ? [
          `${number(none)} by nothing${
            withPatientAndTime > 0 ? `, ${number(withPatientAndTime)} of them with patient and time` : ""
          }`
        ]
        : [])
    ].join("; ")
  ]))

const encounterLines = ({ encounters: of }: Profile): ReadonlyArray<string> =>
  of.records === 0 ? [] : [
    [
      plural(of.records, "encounter"),
      ...(of.notVisits > 0 ? [`${number(of.notVisits)} planned, cancelled or entered in error`] : []),
      of.members === 0
        ? "none is part of another"
        : `${plural(of.members, "is", "are")} part of another, ${plural(of.depth, "level")}`,
      ...(of.inCircle > 0 ? [`${plural(of.inCircle, "leads", "lead")} into a circle`] : []),
      ...(of.parentsMissing > 0 ? [`${number(of.parentsMissing)} of one that is not in the input`] : []),
      ...(of.noStart > 0 ? [`${number(of.noStart)} without a beginning`] : []),
      ...(of.finishedWithoutEnd > 0 ? [`${number(of.finishedWithoutEnd)} finished without an end`] : []),
      ...(of.noClass > 0 ? [`${number(of.noClass)} without a class`] : []),
      ...(of.sameStart > 0 ? [`beginning when another of the same patient does: ${number(of.sameStart)}`] : [])
    ].join("; ")
  ]

const scriptLines = ({ scripts, unseenSigns }: Profile): ReadonlyArray<string> => [
  ...columns(scripts.filter((one) => one.scripts.length > 0).map((one) => [one.place, listed(one.scripts)])),
  ...(unseenSigns > 0 ? [`${plural(unseenSigns, "text")} with invisible characters, such as zero-width spaces`] : [])
]
