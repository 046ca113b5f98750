import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { noCounts, outcomes, type Report, Tally } from "../../src/cli/Report.ts"
import { reportPage } from "../../src/cli/reportPage.ts"
import { english, formats, type ReportTexts } from "../../src/cli/reportTexts.ts"
import { collate } from "../../src/diagnostic/collate.ts"
import { assertGolden } from "../golden.ts"
import { rarePlace, sampleReport, value } from "./sampleReport.ts"

const page = reportPage(sampleReport, { pages: new Map([["no-encounter", "# no-encounter\n\n`<b>` is escaped\n"]]) })

/** What is read on a page, without its marks; cells and lines stand apart. */
const wordsOf = (html: string): string =>
  html
    .replace(/<style>[^]*?<\/style>/gu, "")
    .replace(/<\/?(?:code|strong|span|div|a|time)\b[^>]*>/gu, "")
    .replace(/<[^>]+>/gu, "|")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\"").replaceAll("&amp;", "&")

const part = (id: string, html = page): string =>
  new RegExp(`<section id="${id}">([^]*?)</section>`, "u").exec(html)?.[1] ?? assert.fail(`no section ${id}`)

/** The rows of the tables of a section, as the texts of their cells. */
const rows = (id: string, html = page): ReadonlyArray<ReadonlyArray<string>> =>
  [...part(id, html).matchAll(/<tr role="row"(?: id="[^"]+")?>(<td[^]*?)<\/tr>/gu)].map(([, cells]) =>
    [...cells!.matchAll(/<td[^>]*>([^]*?)<\/td>/gu)].map(([, cell]) => wordsOf(cell!))
  )

const n = english.number

describe("The page of a run", () => {
  it("is as it was looked at", () => {
    assertGolden(join(import.meta.dirname, "reportPage.html"), page)
  })

  it("has every count of the report, and none that is not in it", () => {
    const { counts } = sampleReport
    const picture = wordsOf(part("flow"))
    for (const [name, words] of Object.entries(english.flow)) {
      if (name in counts) {
        assert.match(picture, new RegExp(`\\|${n(counts[name as "visits"])} ${words}(?: ·|\\|)`, "u"), name)
      }
    }
    for (const name of outcomes) {
      assert.include(picture, `|${n(counts[name])} ${english.outcomes.names[name]} · `)
    }
    assert.deepStrictEqual(
      rows("outcomes").map(([name, count]) => [name, count]),
      outcomes.filter((name) => counts[name] > 0).map((name) => [english.outcomes.names[name], n(counts[name])])
    )
    assert.include(part("score"), "97 of 120 visits may be sent")
    assert.include(part("score"), "74 of 97 ready visits have nothing left to be sent")
    assert.deepStrictEqual(
      rows("days").map((row) => row.slice(0, 4)),
      [["2 Mar 2026", "53", "50", "3"], ["3 Mar 2026", "47", "47", "0"], ["not known", "20", "0", "20"]]
    )
    const days = [...sampleReport.days!.values()]
    assert.strictEqual(days.reduce((sum, { ready }) => sum + ready, 0), counts.ready)
    assert.strictEqual(days.reduce((sum, { rejected }) => sum + rejected, 0), counts.rejected)
    const seen = [...part("problems").matchAll(/<\/h3> <span class="dim">(.*?)<\/span><\/summary>/gu)].map((
      [, words]
    ) => words)
    assert.deepStrictEqual(
      seen,
      sampleReport.problems.map(({ count, visits }) => english.problems.times(count, visits))
    )
    assert.deepStrictEqual(
      rows("unmapped").map((row) => row.slice(4)),
      sampleReport.unmapped.map(({ blocked, count, visits }) => [n(count), n(visits), n(blocked)])
    )
    assert.deepStrictEqual(rows("types"), [
      ["of no stated type", "0", "4", "0", "0"],
      ["Encounter", "120", "0", "11", "0"],
      ["Observation", "900", "0", "0", "17"],
      ["Patient", "21", "0", "0", "0"],
      ["Practitioner", "0", "199", "0", "0"]
    ])
    assert.deepStrictEqual(rows("runs").map((row) => row.slice(2, 10)), [
      ["40", "32", "30", "0", "2", "0", "1", "7"],
      ["97", "61", "44", "30", "5", "8", "3", "7"]
    ])
  })

  it("by ward: those of most visits first, and each leads to its rejected visits; a ward of few patients has no name", () => {
    assert.deepStrictEqual(rows("places").map((row) => row.slice(0, 4)), [
      ["Emergency", "60", "40", "20"],
      ["Surgery <script>alert(\"x\")</script>' onload='x'", "52", "50", "2"],
      [english.places.few, "2", "1", "1"],
      [english.places.unknown, "6", "6", "0"]
    ])
    const sum = rows("places").reduce((sum, [, visits]) => sum + Number(visits), 0)
    assert.strictEqual(sum, sampleReport.counts.visits)
    const list = /<p id="rejected-in-1">(.*?)<\/p>/u.exec(part("places"))![1]!
    assert.strictEqual([...list.matchAll(/href="#rejected-\d+"/gu)].length, 20)
  })

  it("every rejected visit is named once, with where it stands, its day and ward, and what blocks it", () => {
    const listed = rows("rejected")
    assert.strictEqual(listed.length, sampleReport.counts.rejected)
    assert.deepStrictEqual(listed[0], [
      "V000120",
      "export/Encounter.ndjson:21",
      "2 Mar 2026",
      "Surgery <script>alert(\"x\")</script>' onload='x'",
      "referral-required referrals|required-field patient.surname"
    ])
    assert.deepStrictEqual(listed[2]![3], "")
    assert.include(part("days"), "<a href=\"#rejected-on-2026-03-02\">3</a>")
    assert.deepStrictEqual(rows("open").map(([code, standing]) => [code, standing]), [
      ["V000011", english.outcomes.names.refused],
      ["V <script>alert(\"x\")</script>' onload='x'", english.outcomes.names.unknown],
      ["V000012", english.outcomes.names.left]
    ])
  })

  it("every ready visit is named once, with where it stands, its day and ward, and what it is warned of", () => {
    const listed = rows("ready")
    assert.strictEqual(listed.length, sampleReport.counts.ready)
    assert.deepStrictEqual(listed[0], [
      "V000200",
      "stored",
      "export/Encounter.ndjson:24",
      "2 Mar 2026",
      "Emergency",
      "unmapped-code"
    ])
    assert.deepStrictEqual(listed[90]!.slice(3), ["3 Mar 2026", "", ""])
    assert.include(part("ready"), `<summary>${english.ready.fold(97)}</summary>`)
    for (const to of ["ready-stored", "ready-skipped", "ready-on-2026-03-03", "ready-in-2", "ready"]) {
      assert.include(page, `<a href="#${to}"`)
    }
    const plain = reportPage({ ...sampleReport, command: "convert", standings: new Map() })
    assert.deepStrictEqual(rows("ready", plain)[0]!.slice(0, 2), ["V000200", "export/Encounter.ndjson:24"])
    const decision = { _tag: "Send", why: "new" } as const
    const plan = [{ code: "V000200", source: null, admittedAt: "2026-03-02T08:00:00.000+07:00", decision }]
    const planned = reportPage({ ...sampleReport, standings: new Map(), plan })
    assert.match(rows("ready", planned)[0]![1]!, /^sent: ./u)
    assert.include(part("ready", planned), ">Would be</th>")
    assert.include(part("outcomes", planned), "<a href=\"#ready-to-Send\">1</a>")
  })

  it("every record of no visit is named, with where it is and why", () => {
    const listed = rows("records")
    assert.strictEqual(listed.length, sampleReport.counts.rejectedRecords)
    assert.deepStrictEqual(listed[0], ["Observation/o1", "export/Observation.ndjson:1", "no-encounter"])
    assert.strictEqual(listed[55]![0], english.rejectedRecords.unnamed)
  })

  it("a kind of problem names the first of its visits, each leading to its place in a list, and says where the others are", () => {
    const [error, , , , warning] = [...part("problems").matchAll(/<article id="problem-\d+">([^]*?)<\/article>/gu)]
      .map(([, body]) => body!)
    assert.strictEqual([...error!.matchAll(/href="#rejected-\d+"/gu)].length, 12)
    assert.include(error, "and 9 more: they are among the <a href=\"#rejected\">rejected visits</a>")
    const some = reportPage({ ...sampleReport, rejectedVisits: sampleReport.rejectedVisits!.slice(0, 15) })
    assert.include(part("problems", some), "and 9 more: <code>--rejected FILE</code>")
    assert.strictEqual([...warning!.matchAll(/href="#ready-\d+"/gu)].length, 12)
    assert.include(warning, "and 76 more: <code>fhir2visit bench</code>")
    assert.include(part("unmapped"), "<a href=\"#problem-5\">80</a>")
    assert.match(part("blockers"), /code table.*<a href="#problem-5">1,234<\/a>/u)
  })

  it("stays small whatever the run: a million visits of ten thousand days in a thousand wards, of as many kinds of problems", () => {
    const tally = new Tally()
    for (let at = 0; at < 12_000; at++) {
      tally.addVisit({
        code: `V${String(at).padStart(12, "0")}`,
        admittedAt: new Date(Date.UTC(1990, 0, 1 + at)).toISOString(),
        patientCode: `P${at}`,
        place: `Ward ${at % 1_200}`,
        source: `Encounter/${at}`,
        origin: { file: "export/a-folder-with-a-long-name/Encounter.ndjson", line: at + 1 },
        ready: at % 2 === 0,
        problems: Array.from({ length: 5 }, (_, one) => ({
          code: "required-field",
          severity: at % 2 === 0 ? "warning" : "error",
          title: `no value for \`field.${(at * 5 + one) % 3_000}\``,
          field: `field.${(at * 5 + one) % 3_000}`,
          help: ["give the value in the source"],
          mapping: { file: "mappings/facility/mapping.yaml", line: one + 1, column: 13, endColumn: 20 }
        }))
      })
      tally.addRejectedRecord({
        source: `Observation/${at}`,
        origin: { file: "export/Observation.ndjson", line: at, reference: `Observation/${at}` },
        problems: [{ code: "no-encounter", severity: "error", title: "it names no encounter" }]
      })
    }
    const html = reportPage({
      ...emptyReport,
      counts: tally.counts,
      problems: tally.problems.all(),
      unmapped: Array.from({ length: 5_000 }, () => sampleReport.unmapped[0]!),
      ...tally.facets
    })
    assert.isBelow(html.length, 4_000_000)
    assert.include(part("ready", html), english.ready.rest(5_500))
    assert.include(part("rejected", html), english.rejected.rest(5_500))
    assert.include(part("records", html), english.rejectedRecords.rest(11_500))
    assert.strictEqual(rows("places", html).length, 102)
    const sums = rows("days", html)
    assert.isBelow(sums.length, 700)
    const tables = part("days", html).split("</table>").slice(0, 3).map((one) =>
      [...one.matchAll(/data-head="Visits" class="n">([\d,]+)</gu)]
        .reduce((sum, [, count]) => sum + Number(count!.replace(",", "")), 0)
    )
    assert.deepStrictEqual(tables, [12_000, 12_000, 12_000])
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id))
    for (const [, to] of html.matchAll(/href="#([^"]+)"/gu)) assert.isTrue(ids.has(to), to)
  })

  it("tells how readiness and blockers went over the runs, this one last; without an earlier run it says so in a line", () => {
    assert.deepStrictEqual(rows("trends").map((row) => row.slice(1, 6)), [
      ["900", "80", "100", "40", "60"],
      ["1,300", "56", "120", "97", "23"],
      ["50", "21"],
      ["12", "0"],
      ["0", "5"]
    ])
    const lone = part("trends", reportPage(emptyReport))
    assert.include(lone, english.trends.none)
    assert.notInclude(lone, "<svg")
    const old = reportPage({ ...sampleReport, runs: sampleReport.runs!.slice(1) })
    assert.include(part("trends", old), english.trends.none)
    assert.strictEqual(rows("runs", old).length, 1)
  })

  it("can be in another language: every word that is not a message, a name or a code comes from one place", () => {
    const turned = (text: unknown): unknown =>
      typeof text === "string"
        ? `«${text.toUpperCase()}»`
        : typeof text === "function"
        ? (...args: ReadonlyArray<unknown>) =>
          `«${String((text as (...args: ReadonlyArray<unknown>) => string)(...args)).toUpperCase()}»`
        : Array.isArray(text)
        ? text.map(turned)
        : Object.fromEntries(Object.entries(text as object).map(([name, one]) => [name, turned(one)]))
    const other = { ...turned(english) as ReportTexts, language: "de", ...formats("de") }
    const html = reportPage(sampleReport, { texts: other })
    assert.include(html, "<html lang=\"de\">")
    assert.include(html, "1.300")
    assert.include(html, "02.03.2026")
    const told = [...html.matchAll(/<(h1|h2|caption|th\b[^>]*|dt|figcaption|summary|h3)>([^<]+)</gu)]
      .map(([, , text]) => text!).filter((text) => !/^(?:service|fhir2visit explain.*| |[\d.]+)$/u.test(text))
    assert.isAbove(told.length, 60)
    for (const text of told) assert.match(text, /^«/u)
  })

  it("names who can change each blocker, those of most visits first; the sums are those of the kinds", () => {
    const told = rows("blockers")
    assert.deepStrictEqual(told.slice(0, 4).map(([, ...row]) => row), [
      ["source system", "21", "21"],
      ["mapping", "5", "19"],
      ["mapping", "4", "4"],
      ["source system", "0", "53"]
    ])
    assert.deepStrictEqual(told.slice(4).map(([who, , ...row]) => [who, ...row]), [
      ["source system", "2", "74", "0", "0"],
      ["mapping", "2", "23", "0", "0"],
      ["code table", "0", "0", "1", "1,234"]
    ])
  })

  it("every figure that leads somewhere leads to a place of the page, and no two places have one name", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
    const bare = reportPage({ ...sampleReport, command: "validate", unused: new Map(), placedByTime: new Map() })
    const empty = reportPage(emptyReport)
    for (const html of [page, bare, empty]) {
      for (const [, to] of html.matchAll(/href="#([^"]+)"/gu)) assert.include(html, ` id="${to}"`)
    }
    assert.isAbove([...page.matchAll(/href="#/gu)].length, 30)
  })

  it("asks nothing of a network and runs nothing", () => {
    assert.notMatch(page, /(?:href|src)="(?!#)|@import|url\(|<(?:script|link|img|iframe|object)\b/u)
    assert.include(page, "default-src 'none'")
  })

  it("names that would do harm are text", () => {
    assert.notInclude(page, "<script")
    assert.notInclude(page, "<b>")
    assert.notMatch(page, /<[a-z][^>]*onload/u)
    assert.include(page, "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;' onload='x'")
    const open = [...page.matchAll(/<(section|article|table|tr|td|dl|details|div|p|a|h[1-3])\b/gu)].map(([, tag]) =>
      tag
    )
    const closed = [...page.matchAll(/<\/(section|article|table|tr|td|dl|details|div|p|a|h[1-3])>/gu)].map(([, tag]) =>
      tag
    )
    assert.deepStrictEqual(open.toSorted(), closed.toSorted())
    const facility = reportPage({ ...emptyReport, facility: "\"><script>" })
    assert.notInclude(facility, "<script")
    assert.include(facility, "&quot;&gt;&lt;script&gt;")
  })

  it("has a value of a record only when it was asked for, and says so", () => {
    assert.notInclude(page, value)
    assert.notInclude(page, rarePlace)
    assert.include(page, english.footer.withoutValues)
    const shown = reportPage(sampleReport, { showValues: true })
    assert.include(shown, value)
    assert.include(shown, rarePlace)
    assert.include(shown, english.footer.withValues)
  })

  it("has a heading for each section, a caption for each table, and a name for each meter", () => {
    for (const [, body] of page.matchAll(/<section id="[^"]+">([^]*?)<\/section>/gu)) assert.match(body!, /^<h2>/u)
    const tables = [...page.matchAll(/<table\b[^>]*>(.{9})/gu)]
    assert.isAbove(tables.length, 5)
    for (const [, begin] of tables) assert.strictEqual(begin, "<caption>")
    for (const [, meter] of page.matchAll(/<meter([^>]*)>/gu)) assert.match(meter!, /aria-label="[^"]+"/u)
    assert.match(page, /<html lang="en">[^]*<main>[^]*<nav aria-label="Sections">/u)
  })

  it("says 100 % only when nothing is missing, and 0 % only when nothing is there", () => {
    const of = (ready: number, visits: number) =>
      part("score", reportPage({ ...emptyReport, counts: { ...noCounts, visits, ready, rejected: visits - ready } }))
    assert.include(of(9_999, 10_000), "<strong>99%</strong>")
    assert.include(of(10_000, 10_000), "<strong>100%</strong>")
    assert.include(of(1, 10_000), "<strong>under 1%</strong>")
    assert.include(of(0, 10_000), "<strong>0%</strong>")
    assert.include(of(0, 0), english.score.nothing)
  })

  it("stays a page when there are very many kinds and codes: it says how many are left out, and no link leads to them", () => {
    const [first] = sampleReport.problems
    const [code] = sampleReport.unmapped
    const html = reportPage({
      ...sampleReport,
      problems: Array.from({ length: 1_500 }, (_, at) => ({ ...first!, visits: at })),
      unmapped: Array.from({ length: 1_200 }, () => code!)
    })
    assert.include(part("problems", html), "500 other kinds of problems")
    assert.strictEqual([...part("problems", html).matchAll(/<article /gu)].length, 1_000)
    assert.include(part("unmapped", html), "200 other codes")
    assert.strictEqual(rows("unmapped", html).length, 1_000)
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id))
    for (const [, to] of html.matchAll(/href="#([^"]+)"/gu)) assert.isTrue(ids.has(to), to)
  })

  it("tells months where there are many days, and every day below them", () => {
    const tally = new Tally()
    for (let day = 0; day < 40; day++) {
      tally.addDay(new Date(Date.UTC(2026, 0, 1 + day)).toISOString(), day % 4 > 0)
    }
    const html = reportPage({ ...emptyReport, days: tally.days })
    assert.deepStrictEqual(rows("days", html).slice(0, 2).map((row) => row.slice(0, 4)), [
      ["January 2026", "31", "23", "8"],
      ["February 2026", "9", "7", "2"]
    ])
    assert.strictEqual(rows("days", html).length, 42)
    assert.include(part("days", html), "<summary>Every day (40)</summary>")
  })
})

describe("Visits as they are counted", () => {
  const visit = (patientCode: string, place: string, ready: boolean, code: string | null = null) => ({
    code,
    patientCode,
    place,
    source: `Encounter/${patientCode}`,
    origin: { file: "in.ndjson", line: 3 },
    ready,
    problems: ready ? [] : [
      { code: "required-field", severity: "error", title: "one" },
      { code: "required-field", severity: "error", title: "other" },
      { code: "odd-value", severity: "warning", title: "third" }
    ] as const
  })

  it("a place has a name once three patients were there, however often one of them came", () => {
    const tally = new Tally()
    for (const patient of ["1", "2", "3"]) tally.addVisit(visit(patient, "Ward ", true))
    for (const patient of ["1", "1", "1", "2"]) tally.addVisit(visit(patient, "Home of somebody", false))
    assert.deepStrictEqual([...tally.places], [
      ["Home of somebody", { ready: 0, rejected: 4, common: false }],
      ["Ward", { ready: 3, rejected: 0, common: true }]
    ])
  })

  it("a rejected visit is listed with its errors, and counted once under each code of them", () => {
    const tally = new Tally()
    tally.addVisit(visit("1", "", false, "V1"))
    tally.addVisit(visit("2", "", false))
    const { blockers, rejectedVisits } = tally.facets
    assert.deepStrictEqual(blockers, [["required-field", 2]])
    assert.deepStrictEqual(
      rejectedVisits!.map(({ kinds, name, origin }) => [name, origin, kinds.map(({ title }) => title)]),
      [["V1", "in.ndjson:3", ["one", "other"]], ["Encounter/2", "in.ndjson:3", ["one", "other"]]]
    )
    assert.strictEqual(tally.problems.all()[0]!.first, rejectedVisits![0]!.kinds[0])
  })
})

describe("Days of admission", () => {
  it("what is not a day of the calendar is not repeated", () => {
    const tally = new Tally()
    for (
      const said of ["2026-02-30", "2026-13-01", "Sok Invented", "2026-02-03", "2026-02-03T08:00:00.000+07:00", ""]
    ) {
      tally.addDay(said, true)
    }
    tally.addDay(undefined, false)
    assert.deepStrictEqual([...tally.days], [
      ["2026-02-03", { ready: 2, rejected: 0 }],
      ["", { ready: 4, rejected: 1 }]
    ])
  })
})

const emptyReport: Report = {
  command: "convert",
  facility: null,
  counts: noCounts,
  problems: collate([]),
  unmapped: [],
  unused: new Map(),
  unresolved: new Map(),
  placedByTime: new Map(),
  started: "2026-03-09T01:00:00.000Z",
  ended: "2026-03-09T01:00:01.000Z",
  version: "0.1.0",
  mapping: null
}
