import { number, plural } from "../diagnostic/count.ts"
import { html, page, section, table } from "../page/page.ts"
import type { Frequencies, Profile } from "./Profile.ts"

/** A profile as one page that needs nothing else: no network, no script; light and dark, and on paper. */
export const renderHtml = (profile: Profile, overlay: string): string =>
  page({
    language: "en",
    title: "What is in the data",
    lead: lead(profile),
    navigation: "Sections",
    parts: [
      ["mapping", "For the mapping", suggestions(profile, overlay)],
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

const lead = ({ again, files, records, unreadable }: Profile): string =>
  [
    `${plural(records, "record")} in ${plural(files, "file")}`,
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
        : `<p>Lines for a mapping of the facility, to be pasted as they are:</p><pre><code>${
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
          notes.map((note) => `<li>${html(note)}</li>`).join("")
        }</ul>`
    ].join("")
  )

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
            `<meter min="0" max="1" value="${share}" aria-label="${Math.round(share * 100)} percent"></meter> ${
              Math.round(share * 100)
            } %`
          ])
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
      ])
    )
  )

const encounters = ({ encounters: of }: Profile): string =>
  section(
    "encounters",
    "Encounters",
    of.records === 0 ? "" : table(["", "Encounters"], [
      ["all", of.records],
      ["planned, cancelled or entered in error", of.notVisits],
      ["part of another", of.members],
      ["levels of partOf", of.depth],
      ["part of one that is not in the input", of.parentsMissing],
      ["without a beginning", of.noStart],
      ["finished", of.finished],
      ["finished without an end", of.finishedWithoutEnd],
      ["without a class", of.noClass],
      ["beginning when another of the same patient does", of.sameStart]
    ])
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
          different === null ? "very many" : number(different),
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
    profile.codes.map(({ element, systems, words }) =>
      `<details><summary><code>${html(element)}</code>${
        words > 0 ? ` <span class="dim">${number(words)} in words only</span>` : ""
      }</summary>${
        systems.map((one) =>
          `<h3>${nameOf(one.system, one.hidden)} <span class="dim">${plural(one.different, "code")}${
            one.withheld > 0 ? `, ${number(one.withheld)} not shown` : ""
          }</span></h3>${
            table(
              ["Code", "Display", "Count"],
              one.codes.map(({ code, count, display }) => [`<code>${html(code)}</code>`, html(display ?? ""), count])
            )
          }`
        ).join("")
      }</details>`
    ).join("")
  )

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
          elements.map(({ element, forms }) => [`<code>${html(element)}</code>`, listed(forms)])
        )
      }</details>`
  )

const references = ({ references: { elements, overflown, styles } }: Profile): string =>
  section(
    "references",
    "References",
    styles.length === 0 ?
      "" :
      `<p>${listed(styles)}</p>${
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
          ])
        )
      }`
  )

const scripts = ({ scripts: all, unseenSigns }: Profile): string =>
  section(
    "scripts",
    "Languages and scripts",
    `${table(["Where", "Scripts"], all.map(({ place, scripts }) => [html(place), listed(scripts)]))}${
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
      profile.problems.map(({ count, first }) => [`<code>${html(first.code)}</code> ${html(first.title)}`, count])
    )
  )
