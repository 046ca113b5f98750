import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { at } from "../../../src/at.ts"
import type { Diagnostic } from "../../../src/diagnostic/Diagnostic.ts"
import type { JsonObject } from "../../../src/json/JsonObject.ts"
import { RecordCollector } from "../../../src/source/records/RecordIndex.ts"
import type {
  CaseView,
  CodeView,
  MappingView,
  PageStatus,
  VisitList,
  VisitView
} from "../../../src/studio/viewer/bench/Wire.ts"
import { visitListOf } from "../../../src/studio/workbench/outcomes.ts"
import { convertedState } from "../../../src/submission/status/sendingOutcomes.ts"
import { FacilityCode, SystemCode } from "../../../src/visit/values/Code.ts"
import { present } from "../../present.ts"
import { converted } from "../../run/converted.ts"
import { encounter, patient } from "../../run/smallRecords.ts"
import { cookieOf, getJson, inRoom, news, opened, trialFolder } from "./opened.ts"

const overlay = `mapping: trial
extends: fhir-r4
conceptMap:
  sex: {table: {female: F}}
visit:
  patient:
    occupation: {value: Farmer}
    surname: [name.where(use = 'nickname').family, name.first().family]
`

describe("The workbench", () => {
  const trial = trialFolder(overlay)
  let bench: Awaited<ReturnType<typeof opened>>
  let cookie: string
  beforeAll(async () => {
    bench = await opened(trial.input, trial.folder)
    cookie = await cookieOf(bench.url)
    await news<PageStatus>(bench.url, cookie, ({ phase }) => phase === "done")
  })
  afterAll(async () => {
    await bench.close()
    trial.remove()
  })

  const ask = (path: string, headers: Record<string, string> = { cookie }) =>
    fetch(inRoom(bench.url, path), { headers, redirect: "manual" })
  const get = <A>(path: string) => getJson<A>(bench.url, path, cookie)
  const list = () => get<VisitList>("/visits")
  const visit = async (code: string): Promise<VisitView> => {
    const found = present((await list()).visits.find((one) => one.code === code))
    return get(`/visit?of=${encodeURIComponent(found.key)}`)
  }
  const field = (of: VisitView, path: string) => present(of.fields.find((one) => one.path === path))
  const shown = (of: VisitView, elements: ReadonlyArray<readonly [number, number]>) =>
    elements.map(([record, line]) => {
      const { lines, reference } = at(of.records, record)
      return [reference, ...at(lines, line).slice(1, 3)]
    })

  it("gives the key's cookie to no script and to no other site", async () => {
    const other = await opened(trial.input, trial.folder)
    const response = await fetch(other.url)
    assert.match(
      response.headers.get("set-cookie") ?? "",
      new RegExp(`^fhir2visit-bench-${other.port}=[\\w-]{43}; Path=/[\\w-]{22}/; HttpOnly; SameSite=Strict$`, "u")
    )
    assert.strictEqual((await fetch(other.url)).status, 403)
    await other.close()
  })

  it("denies requests without the cookie or under another host name", async () => {
    for (
      const path of ["/", "/page.js", "/page.css", "/visits", "/visit?of=Encounter/401", "/mapping", "/events", "/x"]
    ) {
      const response = await ask(path, {})
      assert.strictEqual(response.status, 403, path)
      assert.notInclude(await response.text(), "V4204", path)
    }
    const status = await new Promise<number | undefined>((resolve, reject) =>
      request(
        {
          host: "127.0.0.1",
          port: bench.port,
          path: new URL(inRoom(bench.url, "/visits")).pathname,
          headers: { cookie, host: "evil.example" }
        },
        (response) => resolve(response.resume().statusCode)
      ).on("error", reject).end()
    )
    assert.strictEqual(status, 403)
    assert.strictEqual((await ask("/events", { cookie, origin: "https://evil.example" })).status, 403)
    assert.strictEqual((await ask("/nothing")).status, 404)
  })

  it("prevents the browser from loading anything from elsewhere and from caching", async () => {
    for (const path of ["/", "/visits", "/nothing"]) {
      const { headers } = await ask(path)
      const policy = headers.get("content-security-policy") ?? ""
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'/u)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
    }
  })

  it("excludes requests from traces, because they name a visit", async () => {
    await visit("V420401")
    assert.include(bench.spans().join("\n"), "loadMapping")
    assert.notMatch(bench.spans().join("\n"), /http|V4204|Encounter|key=/u)
    assert.lengthOf(
      bench.spans().filter((span) => span.startsWith("findInputs")),
      1,
      "looking for changes is in no trace"
    )
  })

  it("lists every visit with its state and its problems", async () => {
    const { problems, visits } = await list()
    assert.deepStrictEqual(visits.map(({ code, state }) => `${code} ${state}`), [
      "V420401 ready",
      "V420402 ready",
      "V420403 ready",
      "V420404 ready",
      "V420405 rejected"
    ])
    const worst = problems[at(at(visits, 4).problems, 0)]
    assert.strictEqual(worst?.severity, "error")
    assert.strictEqual(
      worst?.visits,
      visits.filter((one) => one.problems.some((index) => problems[index] === worst)).length
    )
  })

  it("lists a visit with the day and the place of its record before it is converted", () => {
    const origin = { file: "a.ndjson", line: 1, reference: "Encounter/1" }
    const root = {
      origin,
      resource: {
        resourceType: "Encounter",
        id: "1",
        period: { start: "2026-03-02T08:00:00+07:00" },
        location: [{ location: { display: "Ward A" } }]
      }
    }
    const records = new RecordCollector().index()
    const { visits } = visitListOf(
      { groups: new Map([["Encounter/1", { root }]]), records },
      { listed: 1, outcomes: new Map(), before: undefined, outside: [] }
    )
    const unconverted = { code: null, state: null, changed: false, count: 0, problems: [] }
    assert.deepStrictEqual(visits, [{ key: "Encounter/1", day: "2026-03-02", ward: "Ward A", ...unconverted }])
  })

  it("shows for a field the line that applies, the lines it overrides, and the elements found and read", async () => {
    const one = await visit("V420401")
    const { files } = await get<MappingView>("/mapping")
    const surname = present(field(one, "patient.surname").summary)
    assert.strictEqual(files[surname.at.file]?.name, trial.mapping)
    assert.strictEqual(files[surname.at.file]?.editable, true)
    assert.strictEqual(surname.at.line, 8)
    assert.deepStrictEqual(surname.over.map(({ file }) => files[file]?.name), ["mappings/fhir-r4/visit.yaml"])
    assert.deepStrictEqual(surname.paths.map(({ outcome }) => outcome), ["found-nothing", "won"])
    const [found] = shown(one, surname.found)
    assert.deepStrictEqual(found, ["Patient/301", "family", field(one, "patient.surname").text])
    assert.include(shown(one, surname.looked).map(([, key]) => key), "use")
    const sex = present(field(one, "patient.sex").summary)
    assert.deepStrictEqual(sex.codes.map(({ at, row, text }) => [text, row, files[at?.file ?? -1]?.name, at?.line]), [
      ["female", "female", trial.mapping, 4]
    ])
  })

  it("counts an element that only selects records as read, and an unused one as unread", async () => {
    const one = await visit("V420401")
    const encounter = at(one.records, 0)
    const read = new Map(encounter.lines.filter(([depth]) => depth === 0).map(([, key, , read]) => [key, read]))
    assert.strictEqual(read.get("status"), 1)
    const [, , , reference] = present(encounter.lines.find(([, key]) => key === "reference"))
    assert.strictEqual(reference, 1)
    const unread = encounter.lines.filter(([, , value, read]) => value !== null && read === 0).map(([, key]) => key)
    assert.include(unread, "versionId")
  })

  it("shows the same outcome for a visit as the list", async () => {
    for (const { code, state } of (await list()).visits) assert.strictEqual((await visit(present(code))).state, state)
  })

  it("follows an edit: reports the counts before and after, and marks the visits that differ", async () => {
    const before = await visit("V420402")
    trial.edit("Farmer", "Fisher")
    const seen = await news<PageStatus>(
      bench.url,
      cookie,
      ({ made, phase }) => made > before.made && phase === "done"
    )
    assert.deepStrictEqual(seen.at(-1)?.before, { ready: 4, rejected: 1, open: 0 })
    assert.strictEqual(seen.at(-1)?.changed, 5)
    assert.strictEqual(field(await visit("V420402"), "patient.occupation").text, "\"Fisher\"")
    trial.edit("mapping: trial\n", "mapping: trial\n# a word to the reader\n")
    const again = await news<PageStatus>(
      bench.url,
      cookie,
      ({ made, phase }) => made > before.made + 1 && phase === "done"
    )
    assert.strictEqual(again.at(-1)?.changed, 0)
    assert.strictEqual(field(await visit("V420402"), "patient.surname").summary?.at.line, 9)
  })

  it("follows settings too; reports invalid settings and keeps the last valid ones", async () => {
    const { made } = await visit("V420401")
    trial.editSettings("Asia/Phnom_Penh", "Asia/Phnom_Pen")
    const wrong = await news<PageStatus>(bench.url, cookie, ({ mistakes }) => mistakes.length > 0)
    assert.include(wrong.at(-1)?.mistakes[0]?.drawn ?? "", "facility.yaml")
    assert.strictEqual(wrong.at(-1)?.made, made)
    trial.editSettings("Asia/Phnom_Pen", "Asia/Tokyo")
    const right = await news<PageStatus>(bench.url, cookie, (one) => one.made > made && one.phase === "done")
    assert.deepStrictEqual(right.at(-1)?.mistakes, [])
    assert.match(field(await visit("V420401"), "admitted_at").text ?? "", /\+09:00"$/u)
  })
})

describe("The workbench with changing inputs and lists", () => {
  it("reads inputs again if they are changed, added or removed, and checks against downloaded lists", async () => {
    const trial = trialFolder(overlay)
    trial.editSettings(
      "mapping: mapping.yaml",
      "mapping: mapping.yaml\nservice: {baseUrl: \"http://127.0.0.1:9\", authUrl: \"http://127.0.0.1:9\"}"
    )
    const bench = await opened(trial.input, trial.folder)
    const cookie = await cookieOf(bench.url)
    let made = 0
    const next = async (): Promise<PageStatus> => {
      const seen = await news<PageStatus>(bench.url, cookie, (one) => one.made > made && one.phase === "done")
      const last = present(seen.at(-1))
      made = last.made
      return last
    }
    const codes = async () => {
      const { problems } = await getJson<VisitList>(bench.url, "/visits", cookie)
      return problems.map(({ code }) => code)
    }
    assert.strictEqual((await next()).total, 5)

    const file = present(
      globSync(`${trial.input}/**/*.ndjson`).find((one) =>
        readFileSync(one, "utf8").includes("\"resourceType\":\"Encounter\",\"id\":\"401\"")
      )
    )
    const text = readFileSync(file, "utf8")
    const encounter = present(text.split("\n").find((line) => line.includes("\"id\":\"401\"")))
    const added = encounter.replace("\"id\":\"401\"", "\"id\":\"499\"").replaceAll("V420401", "V420499")
    writeFileSync(file, text + `${added}\n`)
    assert.deepInclude(await next(), { total: 6, before: { ready: 4, rejected: 1, open: 0 } })
    writeFileSync(file, text)
    assert.strictEqual((await next()).total, 5)
    mkdirSync(join(trial.input, "more", "later"), { recursive: true })
    writeFileSync(join(trial.input, "more", "later", "one.ndjson"), added)
    assert.strictEqual((await next()).total, 6)

    assert.notInclude(await codes(), "unknown-list-value")
    const lists = join(trial.folder, ".fhir2visit", "standard-data", "127.0.0.1_9")
    mkdirSync(lists, { recursive: true })
    writeFileSync(
      join(lists, "visit_types.json"),
      JSON.stringify({
        type: "visit_types",
        url: "http://127.0.0.1:9",
        pulledAt: new Date().toISOString(),
        count: 1,
        items: [{ code: "NONE", name: "none" }]
      })
    )
    await next()
    assert.include(await codes(), "unknown-list-value")

    rmSync(trial.input, { recursive: true })
    assert.strictEqual((await next()).total, 0)
    await bench.close()
    trial.remove()
  })
})

describe("Two visits of which the service accepts only one", () => {
  it("rejects the second in the list and in its view, by the first mapping and after an edit", async () => {
    const records = globSync("samples/clinic-day/input/*.ndjson").flatMap((file) =>
      readFileSync(file, "utf8").trimEnd().split("\n")
    )
    const first = present(records.find((record) => record.includes("\"resourceType\":\"Encounter\",\"id\":\"401\"")))
    const again = first.replace("\"id\":\"401\"", "\"id\":\"499\"").replaceAll("V420401", "V420499").replaceAll(
      /"E\d{6}"/gu,
      "\"E999999\""
    )
    const trial = trialFolder(overlay, [...records, again].map((record) => JSON.parse(record)))
    const bench = await opened(trial.input, trial.folder)
    const cookie = await cookieOf(bench.url)
    const get = <A>(path: string) => getJson<A>(bench.url, path, cookie)
    const errorsOfBoth = async () => {
      const { visits } = await get<VisitList>("/visits")
      const both = visits.filter(({ code }) => code === "V420401" || code === "V420499")
      return Promise.all(both.map(async ({ key, state }) => {
        const view = await get<VisitView>(`/visit?of=${encodeURIComponent(key)}`)
        assert.strictEqual(view.state, state, key)
        return view.problems.filter(({ severity }) => severity === "error").map((problem) => problem.code)
      }))
    }
    await news<PageStatus>(bench.url, cookie, ({ phase }) => phase === "done")
    const before = await errorsOfBoth()
    assert.deepStrictEqual(before.map((codes) => codes.includes("same-admission-time")), [false, true])
    trial.edit("Farmer", "Fisher")
    await news<PageStatus>(bench.url, cookie, ({ changed, phase }) => phase === "done" && changed !== null)
    assert.deepStrictEqual(await errorsOfBoth(), before)
    await bench.close()
    trial.remove()
  })
})

describe("The state and the problems of a visit", () => {
  it("are those of `convert`, in the list and in its view", async () => {
    const trial = trialFolder(overlay)
    trial.editSettings("mapping: mapping.yaml", "mapping: mapping.yaml\nvalidation: {levels: {no-value: error}}")
    const encounters = join(trial.input, "Encounter.000.ndjson")
    const [first, ...others] = readFileSync(encounters, "utf8").trimEnd().split("\n").map((line): JsonObject =>
      JSON.parse(line)
    )
    // One visit is not over, one has two versions of a record, and the records of others may be in a line that cannot be read.
    const open = { ...first, status: "in-progress", period: { start: "2026-03-02T08:00:00+07:00" } }
    writeFileSync(encounters, [open, ...others].map((record) => `${JSON.stringify(record)}\n`).join(""))
    const conditions = readFileSync(join(trial.input, "Condition.000.ndjson"), "utf8").trimEnd().split("\n")
    const again = JSON.stringify({ ...JSON.parse(present(conditions.at(-1))), recordedDate: "2026-01-05" })
    writeFileSync(join(trial.input, "Condition.001.ndjson"), `${again}\n{"resourceType":"Condition","subject":`)
    const bench = await opened(trial.input, trial.folder)
    const cookie = await cookieOf(bench.url)
    const get = <A>(path: string) => getJson<A>(bench.url, path, cookie)
    await news<PageStatus>(bench.url, cookie, ({ phase }) => phase === "done")
    const { problems, visits } = await get<VisitList>("/visits")
    const views = await Promise.all(visits.map(({ key }) => get<VisitView>(`/visit?of=${encodeURIComponent(key)}`)))
    const expected = await Effect.runPromise(
      converted([trial.input], {
        mapping: trial.mapping,
        facility: FacilityCode("HF0004"),
        system: SystemCode("TRIAL"),
        validation: { levels: new Map([["no-value", "error"]]) },
        showValues: true
      }).pipe(Effect.provide(NodeServices.layer))
    )
    const told = (code: string | null, state: string, found: ReadonlyArray<Pick<Diagnostic, "code" | "severity">>) =>
      [code, state, ...found.map((one) => `${one.severity} ${one.code}`).toSorted()].join(", ")
    const ofConvert = expected.visits.map((visit) => told(visit.code, convertedState(visit), visit.problems)).toSorted()
    assert.deepStrictEqual(views.map((view) => told(view.code, view.state, view.problems)).toSorted(), ofConvert)
    assert.sameMembers(
      visits.map(({ code, state }) => `${code} ${state}`),
      views.map(({ code, state }) => `${code} ${state}`)
    )
    assert.sameMembers(
      visits.flatMap((visit) => visit.problems.map((index) => `${visit.code} ${at(problems, index).code}`)),
      expected.visits.flatMap((visit) => [...new Set(visit.problems.map(({ code }) => `${visit.code} ${code}`))])
    )
    assert.include(ofConvert.join("\n"), "open")
    assert.include(ofConvert.join("\n"), "incomplete-visit")
    assert.include(ofConvert.join("\n"), "duplicate-record")
    await bench.close()
    trial.remove()
  })
})

describe("The workbench with an invalid mapping", () => {
  it("reports an invalid mapping, reads no input, and continues once it is valid", async () => {
    const trial = trialFolder(overlay.replace("occupation", "ocupation"))
    const bench = await opened(trial.input, trial.folder)
    const cookie = await cookieOf(bench.url)
    const first = present((await news<PageStatus>(bench.url, cookie, ({ mistakes }) => mistakes.length > 0)).at(-1))
    assert.strictEqual(first.records, 0)
    assert.match(first.mistakes[0]?.drawn ?? "", /mapping\.yaml:7:5\n[^]*\^+ did you mean `occupation`/u)
    trial.edit("ocupation", "occupation")
    const seen = await news<PageStatus>(bench.url, cookie, ({ phase }) => phase === "done")
    assert.strictEqual(seen.at(-1)?.total, 5)
    assert.isNull(seen.at(-1)?.before)
    await bench.close()
    trial.remove()
  })
})

describe("Edits in the workbench page", () => {
  /** A bench that has converted everything, and a way to send it what the page sends. */
  const edits = async () => {
    const trial = trialFolder(overlay)
    const bench = await opened(trial.input, trial.folder)
    const cookie = await cookieOf(bench.url)
    const { origin } = new URL(bench.url)
    const statusUntil = (until: (status: PageStatus) => boolean) => news<PageStatus>(bench.url, cookie, until)
    await statusUntil(({ phase }) => phase === "done")
    const post = async <A>(path: string, body: unknown): Promise<A> => {
      const response = await fetch(inRoom(bench.url, path), {
        method: "POST",
        headers: { cookie, origin, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      return JSON.parse(await response.text())
    }
    return {
      trial,
      statusUntil,
      edit: (text: string, from: string) => post<{ revision: number }>("/edit", { file: trial.mapping, text, from }),
      undo: () => post<{ files: ReadonlyArray<unknown>; revision: number }>("/undo", {}),
      save: () => post<{ problem: string | null; revision: number }>("/save", {}),
      end: async () => {
        await bench.close()
        trial.remove()
      }
    }
  }

  it("are saved over the text that the user began with, even if undo, edit and save follow each other quickly", async () => {
    const { edit, end, save, statusUntil, trial, undo } = await edits()
    for (let round = 0; round < 10; round++) {
      const from = readFileSync(trial.mapping, "utf8")
      const { revision } = await edit(`${from}# undone\n`, from)
      // The program loads the edited mapping now. What follows does not wait for it.
      const undone = await undo()
      assert.deepStrictEqual(undone.files, [{ name: trial.mapping, text: from }])
      assert.isAbove(undone.revision, revision)
      await edit(`${from}# saved ${round}\n`, from)
      assert.isNull((await save()).problem)
      assert.strictEqual(readFileSync(trial.mapping, "utf8"), `${from}# saved ${round}\n`)
    }
    const last = present((await statusUntil(({ edited }) => edited.length === 0)).at(-1))
    assert.isAtMost(last.revision, (await save()).revision)
    await end()
  })

  it("are not saved over a text that another program wrote after the user began", async () => {
    const { edit, end, save, statusUntil, trial } = await edits()
    const from = readFileSync(trial.mapping, "utf8")
    trial.edit("Farmer", "Fisher")
    // The program has read the other text before the page has.
    await statusUntil(({ changed, phase }) => phase === "done" && changed !== null)
    await edit(`${from}# mine\n`, from)
    assert.include((await save()).problem ?? "", "has changed on disk")
    assert.include(readFileSync(trial.mapping, "utf8"), "Fisher")
    await end()
  })
})

describe("The workbench of exports of two servers", () => {
  it("reports them, and shows no visit: one could have the records of another server's patient", async () => {
    const records = [patient("a"), encounter("e1", "a")]
    const trial = trialFolder("mapping: trial\nextends: fhir-r4\n", records)
    for (const server of ["clinic", "laboratory"]) {
      mkdirSync(join(trial.input, server))
      writeFileSync(
        join(trial.input, server, "manifest.json"),
        JSON.stringify({
          transactionTime: "2026-04-01T10:00:00Z",
          request: `https://${server}.example/fhir/$export`,
          requiresAccessToken: false,
          output: [],
          error: []
        })
      )
    }
    const bench = await opened(trial.input, trial.folder)
    const cookie = await cookieOf(bench.url)
    await news<PageStatus>(bench.url, cookie, ({ phase }) => phase === "done")
    const { outside, visits } = await getJson<VisitList>(bench.url, "/visits", cookie)
    assert.deepStrictEqual(visits, [])
    assert.include(JSON.stringify(outside), "several-servers")
    await bench.close()
    trial.remove()
  })
})

describe("The code tables of the workbench", () => {
  it("lists unmapped codes, and writes an accepted value with the user who accepted it", async () => {
    const trial = trialFolder("mapping: trial\nextends: fhir-r4\n")
    trial.editSettings("mapping: mapping.yaml", "mapping: mapping.yaml\ntables: tables")
    mkdirSync(join(trial.folder, "tables"))
    const bench = await opened(trial.input, trial.folder)
    const cookie = await cookieOf(bench.url)
    const codes = () => getJson<ReadonlyArray<CodeView>>(bench.url, "/codes", cookie)
    await news<PageStatus>(bench.url, cookie, ({ phase }) => phase === "done")
    const open = present((await codes()).find(({ code }) => code === "Full Pay"))
    assert.strictEqual(open.value, "")
    const { origin } = new URL(bench.url)
    const response = await fetch(inRoom(bench.url, "/codes"), {
      method: "POST",
      headers: { cookie, origin, "sec-fetch-site": "same-origin", "content-type": "application/json" },
      body: JSON.stringify({ ...open, value: "Full payment" })
    })
    assert.match(JSON.parse(await response.text()).file, /tables\/payment_type\.csv$/u)
    await news<PageStatus>(bench.url, cookie, ({ made, phase }) => made === 2 && phase === "done")
    const { acceptedBy, value } = present((await codes()).find(({ code }) => code === "Full Pay"))
    assert.strictEqual(value, "Full payment")
    assert.match(acceptedBy, / \d{4}-\d\d-\d\d$/u)
    await bench.close()
    trial.remove()
  })
})

describe("A case of a visit of tables", () => {
  it("has its rows as CSV, makes the visit's problems, and has no identity of a patient", async () => {
    const bench = await opened("samples/district-tables/input", "samples/district-tables")
    const cookie = await cookieOf(bench.url)
    await news<PageStatus>(bench.url, cookie, ({ phase }) => phase === "done")
    const get = <A>(path: string) => getJson<A>(bench.url, path, cookie)
    const identities = readFileSync("samples/district-tables/input/patients.csv", "utf8").split("\n").slice(1)
      .flatMap((row) => row.split(";").filter((_, column) => [0, 1, 2, 5, 7].includes(column)))
      .filter((text) => text.length > 2)
    for (const { key } of (await get<VisitList>("/visits")).visits) {
      const { differing, text, why } = await get<CaseView>(`/case?of=${encodeURIComponent(key)}&name=Case`)
      assert.deepStrictEqual([why, differing], [null, []], key)
      assert.include(text, "```csv source visits_2569_03.csv\nVN,HN,")
      for (const identity of identities) assert.notInclude(text, identity)
    }
    await bench.close()
  })
})
