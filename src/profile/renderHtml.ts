import { number, plural } from "../diagnostic/count.ts"
import { html, page, section, table } from "../page/page.ts"
import type { Frequencies, Profile } from "./Profile.ts"
import { tellColumn, tellLink } from "./tables/tellColumn.ts"

/** A profile as one page that needs nothing else: no network, no script; light and dark, and on paper. */
export const renderHtml = (profile: Profile, overlay: string): string =>
  page({
    language: "en",
    title: "What is in the data",
    lead: lead(profile),
    navigation: "Sections",
    parts: [
      ["mapping", "For the mapping", suggestions(profile, overlay)],
      ["tables", "Tables", tables(profile)],
      ["types", "Types and elements", types(profile)],
      ["links", "Ways to encounters", links(profile)],
      ["encounters", "Encounters", encounters(profile)],
      ["identifiers", "Identifiers", identifiers(profile)],
      ["codes", "Codes", codes(profile)],
      ["dates", "Dates", dates(profile)],
      ["references", "References", references(profile)],
      ["scripts", "Scripts", scripts(profile)],
      ["problems", "Unreadable", problems(profile)]
    ],
    footer:
      "Values of records are not in this page. Of codes it has those that were met for several people, or are of a system that everybody shares."
  })

const lead = ({ again, files, records, tables, unreadable }: Profile): string =>
  [
    ...(records > 0 || tables.length === 0 ? [`${plural(records, "record")} in ${plural(files, "file")}`] : []),
    ...(tables.length > 0
      ? [`${plural(tables.length, "table")}, ${plural(tables.reduce((sum, { rows }) => sum + rows, 0), "row")}`]
      : []),
    ...(unreadable > 0 ? [`${number(unreadable)} unreadable`] : []),
    ...(again.same > 0 ? [`${number(again.same)} copies`] : []),
    ...(again.changed > 0 ? [`${number(again.changed)} other versions of a record`] : [])
  ].join(" · ")

const listed = (frequencies: Frequencies): string =>
  frequencies.map(([name, count]) => `${html(name)}&nbsp;${number(count)}`).join(", ")

const suggestions = ({ suggestions: { notes, standIns } }: Profile, overlay: string): string =>
  section(
    "mapping",
    "What this means for the mapping",
    [
      overlay === ""
        ? "<p>Nothing that the mapping lacks was found.</p>"
        : `<p>Lines for a mapping of the facility, to be pasted as they are:</p><pre class="long" tabindex="0"><code>${
          overlay.split("\n").map(html).join("\n")
        }</code></pre>`,
      standIns.length === 0
        ? ""
        : `<p class="warn">Stand-ins: this data never has a value for ${
          standIns.map((field) => `<code>${html(field)}</code>`).join(", ")
        }. Decide about each before anything is sent.</p>`,
      notes.length === 0
        ? ""
        : `<h3>What no line of a mapping can help with</h3><ul>${
          notes.map((note) => `<li>${html(note).replace(/`([^`]+)`/gu, "<code>$1</code>")}</li>`).join("")
        }</ul>`
    ].join("")
  )

const tables = (profile: Profile): string =>
  section(
    "tables",
    "Tables",
    profile.tables.map((one, at) =>
      `<details class="unfold"${profile.tables.length > 4 ? "" : " open"}><summary><strong>${
        html(shortName(one.file))
      }</strong> ${number(one.rows)}</summary><p class="dim" id="table-${at + 1}">${
        [
          plural(one.rows, "row"),
          `${html(one.delimiter)}, ${html(one.encoding)}${one.guessed ? " (a guess)" : ""}`,
          ...(one.declared ? [`the mapping reads it as <code>${html(one.name)}</code>`] : []),
          one.keys.length === 0 ?
            one.pair === undefined ?
              "no column tells its rows apart" :
              `key: ${one.pair.map((key) => `<code>${html(key)}</code>`).join(" and ")} together` :
            `key: ${one.keys.slice(0, 3).map((key) => `<code>${html(key)}</code>`).join(", or ")}`
        ].join(" · ")
      }</p>${
        one.links.length === 0 ? "" : `<ul>${
          one.links.map((link) => {
            const to = profile.tables.findIndex(({ name }) => name === link.table)
            return `<li>${html(tellLink(link))} <a href="#table-${to + 1}">see it</a></li>`
          }).join("")
        }</ul>`
      }${
        table(
          ["Column", "Filled", "Holds", "What was seen", "Codes met for several people"],
          one.columns.map((column) => [
            `<code>${html(column.name)}</code>`,
            shareOf(column.share),
            column.kind,
            tellColumn(column, one).map(html).join("<br>"),
            `${listed(column.codes)}${
              column.withheld > 0 ? ` <span class="dim">${number(column.withheld)} not shown</span>` : ""
            }`
          ]),
          `Columns of ${html(one.file)}`
        )
      }</details>`
    ).join("")
  )

const shortName = (file: string): string => file.slice(file.lastIndexOf("/") + 1)

const shareOf = (part: number): string => {
  const told = `${Math.round(part * 100)} %`
  return `<span class="share"><meter min="0" max="1" value="${part}" aria-label="${told}"></meter> ${told}</span>`
}

const types = (profile: Profile): string =>
  section(
    "types",
    "Types and elements",
    profile.types.map(({ elements, records, type, withheld }) =>
      `<details><summary><strong>${html(type)}</strong> ${number(records)}</summary>${
        table(
          ["Element", "Records", "Share"],
          elements.map(({ path, records, share, unknown }) => [
            `<code>${html(path)}</code>${unknown === true ? " <span class=\"warn\">not of R4</span>" : ""}`,
            records,
            shareOf(share)
          ]),
          `Elements of ${html(type)}`,
          { compact: true }
        )
      }${
        withheld > 0 ? `<p class="dim">${plural(withheld, "element")} not named: met for few people only.</p>` : ""
      }</details>`
    ).join("")
  )

const links = (profile: Profile): string =>
  section(
    "links",
    "How records reach an encounter",
    table(
      [
        "Type",
        "Records",
        "By an element",
        "Through others",
        "By their document",
        "By nothing",
        "with patient and time"
      ],
      profile.links.map((one) => [
        html(one.type),
        one.records,
        one.paths.map(({ found, path, records }) =>
          `<code>${html(path)}</code> ${number(records)}${
            found < records ? ` <span class="warn">(${number(records - found)} not in the input)</span>` : ""
          }`
        ).join("<br>"),
        listed(one.namedBy),
        one.inDocument,
        one.none,
        one.withPatientAndTime
      ]),
      "Records by how they reach an encounter"
    )
  )

const encounters = ({ encounters: of }: Profile): string =>
  section(
    "encounters",
    "Encounters",
    of.records === 0 ? "" : table(
      ["What they are", "Encounters"],
      [
        ["all", of.records],
        ["planned, cancelled or entered in error", of.notVisits],
        ["part of another", of.members],
        ...(of.members === 0 ? [] : [["levels of partOf", of.depth] as const]),
        ...(of.inCircle === 0 ? [] : [["partOf leads into a circle", of.inCircle] as const]),
        ["part of one that is not in the input", of.parentsMissing],
        ["without a beginning", of.noStart],
        ["finished", of.finished],
        ["finished without an end", of.finishedWithoutEnd],
        ["without a class", of.noClass],
        ["beginning when another of the same patient does", of.sameStart]
      ],
      "Encounters by what they are, and by what they lack",
      { compact: true }
    )
  )

const nameOf = (system: string | null, hidden: boolean): string =>
  hidden
    ? "<span class=\"dim\">not shown</span>"
    : system === null
    ? "<span class=\"dim\">none</span>"
    : `<code>${html(system)}</code>`

const identifiers = (profile: Profile): string =>
  section(
    "identifiers",
    "Identifiers",
    profile.identifiers.map(({ element, systems }) =>
      table(
        ["System", "Records", "Values", "Kinds", "More than one in a record"],
        systems.map(({ different, hidden, kinds, records, several, system }) => [
          nameOf(system, hidden),
          records,
          different ?? "very many",
          listed(kinds),
          several
        ]),
        `<code>${html(element)}</code>`
      )
    ).join("")
  )

const codes = (profile: Profile): string =>
  section(
    "codes",
    "Codes",
    [...Map.groupBy(profile.codes, ({ element }) => /^[^.]*/u.exec(element)![0])].map(([type, elements]) =>
      `<details><summary><strong>${html(type)}</strong> <span class="dim">${plural(elements.length, "element")}, ${
        codesOf(elements)
      }</span></summary><div class="inside">${elements.map(codesOfElement).join("")}</div></details>`
    ).join("")
  )

const codesOf = (elements: Profile["codes"]): string =>
  plural(elements.flatMap(({ systems }) => systems).reduce((sum, { different }) => sum + different, 0), "code")

const codesOfElement = (of: Profile["codes"][number]): string =>
  `<details><summary><code>${html(of.element)}</code> <span class="dim">${codesOf([of])}${
    of.words > 0 ? `, ${number(of.words)} in words only` : ""
  }</span></summary>${
    of.systems.map((one) =>
      `<h3>${nameOf(one.system, one.hidden)} <span class="dim">${plural(one.different, "code")}${
        one.withheld > 0 ? `, ${number(one.withheld)} not shown` : ""
      }</span></h3>${
        table(
          ["Code", "Display", "Count"],
          one.codes.map(({ code, count, display }) => [`<code>${html(code)}</code>`, html(display ?? ""), count]),
          `Codes of <code>${html(of.element)}</code>`,
          { compact: true }
        )
      }`
    ).join("")
  }</details>`

const dates = ({ dates: { elements, forms, offsets } }: Profile): string =>
  section(
    "dates",
    "Dates",
    forms.length === 0 ?
      "" :
      `<p>${listed(forms)}</p>${
        offsets.length === 0 ? "" : `<p>Offsets: ${listed(offsets)}</p>`
      }<details><summary>By element</summary>${
        table(
          ["Element", "Forms"],
          elements.map(({ element, forms }) => [`<code>${html(element)}</code>`, listed(forms)]),
          "Forms of dates by element"
        )
      }</details>`
  )

/** What references are written as. */
const styleNames: Readonly<Record<Profile["references"]["styles"][number][0], string>> = {
  Relative: "by type and id",
  Absolute: "by address",
  Urn: "by URN",
  Contained: "to contained records",
  Conditional: "by search",
  Logical: "by identifier",
  Bare: "by id alone",
  Url: "by an address of another kind",
  Display: "in words only",
  Nothing: "empty"
}

const references = ({ references: { elements, overflown, styles } }: Profile): string =>
  section(
    "references",
    "References",
    styles.length === 0 ?
      "" :
      `<p>${styles.map(([style, count]) => `${number(count)} ${styleNames[style]}`).join(", ")}</p>${
        overflown ? "<p class=\"warn\">There are more references than are looked up.</p>" : ""
      }${
        table(
          ["Element", "In the input", "Not in it", "Not followed", "Targets"],
          elements.map(({ element, notFollowed, resolved, targets, unresolved }) => [
            `<code>${html(element)}</code>`,
            resolved,
            unresolved,
            notFollowed,
            listed(targets)
          ]),
          "References by element, and whether what they name is in the input"
        )
      }`
  )

const scripts = ({ scripts: all, unseenSigns }: Profile): string =>
  section(
    "scripts",
    "Languages and scripts",
    `${
      table(
        ["Where", "Scripts"],
        all.map(({ place, scripts }) => [html(place), listed(scripts)]),
        "Scripts by where they stand",
        { compact: true }
      )
    }${
      unseenSigns > 0
        ? `<p>${plural(unseenSigns, "text")} with signs that are not seen, such as zero-width spaces.</p>`
        : ""
    }`
  )

const problems = (profile: Profile): string =>
  section(
    "problems",
    "What could not be read",
    table(
      ["Problem", "Count"],
      profile.problems.map(({ count, first }) => [`<code>${html(first.code)}</code> ${html(first.title)}`, count]),
      "What could not be read, and how often"
    )
  )
