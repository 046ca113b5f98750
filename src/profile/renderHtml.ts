import { number, plural } from "../diagnostic/count.ts"
import { printable } from "../diagnostic/printable.ts"
import type { Frequencies, Profile } from "./Profile.ts"

/** A profile as one page that needs nothing else: no network, no script; light and dark, and on paper. */
export const renderHtml = (profile: Profile, overlay: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What is in the data</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>What is in the data</h1>
<p class="lead">${lead(profile)}</p>
${nav}
${suggestions(profile, overlay)}
${types(profile)}
${links(profile)}
${encounters(profile)}
${identifiers(profile)}
${codes(profile)}
${dates(profile)}
${references(profile)}
${scripts(profile)}
${problems(profile)}
<footer>Values of records are not in this page. Of codes it has those that were met for several people, or are of a system that everybody shares.</footer>
</main>
</body>
</html>
`

const style = `
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#57606a;--line:#d0d7de;--paper:#fff;--tint:#f6f8fa;--bar:#2f6fb0;--warn:#9a4b00}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--paper:#0d1117;--tint:#151b23;--bar:#5aa2e6;--warn:#e3a35c}}
*{box-sizing:border-box}
body{margin:0;overflow-wrap:anywhere;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:72rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2.5rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}h3{font-size:1rem;margin:1rem 0 .25rem}
.lead,.dim,footer{color:var(--dim)}footer{margin-top:3rem;font-size:.875rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:1rem 0}a{color:var(--bar)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--dim);padding:.25rem 0}
th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code,pre{font:.875rem/1.45 ui-monospace,monospace}pre{background:var(--tint);border:1px solid var(--line);border-radius:6px;padding:1rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
details{margin:.25rem 0}summary{cursor:pointer}summary:focus-visible,a:focus-visible{outline:2px solid var(--bar);outline-offset:2px}
meter{width:6rem;height:.7rem;vertical-align:middle}.warn{color:var(--warn)}
@media print{:root{color-scheme:light;--ink:#000;--dim:#444;--line:#999;--paper:#fff;--tint:#fff}nav{display:none}tr,h2,h3{break-inside:avoid;break-after:auto}h2,h3{break-after:avoid}body{font-size:10pt}}
`

const nav = `<nav aria-label="Sections">${
  [
    ["mapping", "For the mapping"],
    ["types", "Types and elements"],
    ["links", "Ways to encounters"],
    ["encounters", "Encounters"],
    ["identifiers", "Identifiers"],
    ["codes", "Codes"],
    ["dates", "Dates"],
    ["references", "References"],
    ["scripts", "Scripts"]
  ].map(([id, name]) => `<a href="#${id}">${name}</a>`).join("")
}</nav>`

const html = (text: string): string =>
  printable(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

const lead = ({ again, files, records, unreadable }: Profile): string =>
  [
    `${plural(records, "record")} in ${plural(files, "file")}`,
    ...(unreadable > 0 ? [`${number(unreadable)} unreadable`] : []),
    ...(again.same > 0 ? [`${number(again.same)} copies`] : []),
    ...(again.changed > 0 ? [`${number(again.changed)} other versions of a record`] : [])
  ].join(" · ")

const section = (id: string, title: string, body: string): string =>
  body === "" ? "" : `<section id="${id}"><h2>${title}</h2>${body}</section>`

type Cell = string | number

/** A table; numbers stand to the right, texts are HTML already. */
const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>, caption?: string): string =>
  rows.length === 0 ?
    "" :
    `<div class="scroll"><table>${caption === undefined ? "" : `<caption>${caption}</caption>`}<thead><tr>${
      heads.map((head, at) => `<th scope="col"${typeof rows[0]![at] === "number" ? " class=\"n\"" : ""}>${head}</th>`)
        .join("")
    }</tr></thead><tbody>${
      rows.map((row) =>
        `<tr>${
          row.map((cell) => typeof cell === "number" ? `<td class="n">${number(cell)}</td>` : `<td>${cell}</td>`).join(
            ""
          )
        }</tr>`
      ).join("")
    }</tbody></table></div>`

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
