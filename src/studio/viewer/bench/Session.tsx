import { type JsonObject, jsonObjectOf } from "../../../json/JsonObject.ts"
import type { ConvertedState } from "../../../submission/status/sendingOutcomes.ts"
import { isWithin, type Selection } from "./Selection.ts"
import { shownStates } from "./states.ts"
import type {
  ElementRef,
  MappingView,
  PageStatus,
  PlanView,
  SourceLocation,
  ValueHit,
  VisitLine,
  VisitList,
  VisitView
} from "./Wire.ts"

export const panes = ["visits", "source", "mapping", "visit"] as const
export type Pane = (typeof panes)[number]

/** The visits to list. */
export interface Filter {
  readonly text: string
  readonly state: "" | ConvertedState | "changed"
  /** `error no-value` */
  readonly problem: string
  /** One hit of the search, or one line of the plan: the visits it has, and what it is called. */
  readonly only: { readonly name: string; readonly visits: ReadonlySet<number> } | undefined
}

const noFilter: Filter = { text: "", state: "", problem: "", only: undefined }

/** A place that the page moves to after it is drawn. */
type Goal =
  | { readonly pane: "source"; readonly element: ElementRef }
  | { readonly pane: "source"; readonly record: number }
  | { readonly pane: "mapping"; readonly at: SourceLocation }
  | { readonly pane: "visit"; readonly path: string }

interface FileText {
  readonly name: string
  readonly text: string
}

/** How long after the last key an edit is tried, in milliseconds. */
const editPause = 20
const findPause = 200

export async function request<A>(path: string, body?: unknown): Promise<A | undefined> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(path, body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) })
  // The program that serves the page sends what Wire.ts declares.
  return response.ok ? await response.json() as A : undefined
}

/** What the page shows, kept up to date with the program. */
export class Session {
  status: PageStatus | undefined
  isLost = false
  list: VisitList = { listed: 0, visits: [], problems: [], outside: [] }
  mapping: MappingView | undefined
  schema: JsonObject | undefined
  visit: VisitView | undefined
  /** The same visit as the mapping produced it before the last change. */
  earlier: VisitView | undefined
  /** The mapping no longer makes the visit. */
  isGone = false
  plan: PlanView | undefined
  hits: ReadonlyArray<ValueHit> = []
  filter = noFilter
  selection: Selection | undefined
  /** Increases with each selection; `origin` is the pane that it was made in, which stays where it is. */
  selected = 0
  origin: Pane | "edit" | undefined
  goal: Goal | undefined
  pane: Pane = "visit"
  file = ""
  said = ""
  saveProblem: string | null = null
  changed: () => void = () => undefined
  #expected: string | undefined
  /** The list that was last requested. */
  #listShown = 0
  #address = /^#(\d+)(?:\/(.+))?$/u.exec(location.hash)
  #editing:
    | {
      readonly file: string
      readonly text: string
      readonly from: string
      readonly timer: ReturnType<typeof setTimeout>
    }
    | undefined
  /** The texts that were typed and are not saved, by file. */
  readonly #typed = new Map<string, string>()
  /** The last revision that the program sent, in a response or an event. */
  #revision = 0
  /** Edits, undo, and save reach the program one after the other. */
  #actions: Promise<unknown> = Promise.resolve()
  #finding: ReturnType<typeof setTimeout> | undefined

  start(): void {
    const events = new EventSource("events")
    events.addEventListener("message", ({ data }: MessageEvent<string>) => {
      this.isLost = false
      // The program that serves the page sends what Wire.ts declares.
      void this.#take(JSON.parse(data) as PageStatus)
    })
    events.addEventListener("error", () => {
      this.isLost = true
      this.changed()
    })
    void request("schema").then((schema) => {
      this.schema = jsonObjectOf(schema)
      this.changed()
    })
  }

  /** The visits that the filter lists, with their numbers. */
  get matches(): ReadonlyArray<readonly [number: number, visit: VisitLine]> {
    const { only, problem, state } = this.filter
    const text = this.filter.text.trim().toLowerCase()
    const { problems, visits } = this.list
    const expected = problems.findIndex(({ code, severity }) => `${severity} ${code}` === problem)
    const named = new Set(text === "" ? [] : this.problemHits.map((hit) => problems.indexOf(hit)))
    const valued = new Set(text === "" ? [] : this.hits.flatMap((hit) => hit.visits))
    const has = (value: string | null) => value !== null && value.toLowerCase().includes(text)
    return visits.flatMap((visit, number) =>
      (only === undefined || only.visits.has(number)) &&
        (only !== undefined || text === "" || has(visit.code) || has(visit.key) || has(visit.day) || has(visit.ward) ||
          valued.has(number) || visit.problems.some((one) => named.has(one))) &&
        (state === "" || (state === "changed" ? visit.changed : visit.state === state)) &&
        (problem === "" || visit.problems.includes(expected))
        ? [[number, visit] as const]
        : []
    )
  }

  /** The problems whose code or meaning has the searched words. */
  get problemHits(): VisitList["problems"] {
    const words = this.filter.text.trim().toLowerCase().split(/[\s-]+/u).filter((word) => word !== "")
    return words.length === 0 ? [] : this.list.problems.filter(({ code, meaning }) => {
      const text = `${code} ${code.replaceAll("-", " ")} ${meaning}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }

  /** Whether the mapping moves to the selected line. It stays where the user clicked or writes. */
  get follows(): boolean {
    return this.origin !== "mapping" && (this.origin !== "edit" || this.status?.edited.length === 0)
  }

  find(change: Partial<Filter>): void {
    this.filter = { ...this.filter, only: undefined, ...change }
    if (change.text !== undefined) {
      clearTimeout(this.#finding)
      const text = change.text.trim()
      if (text.length < 2) this.hits = []
      else {
        this.#finding = setTimeout(
          () =>
            void request<ReadonlyArray<ValueHit>>(`find?text=${encodeURIComponent(text)}`).then((hits) => {
              if (hits === undefined || text !== this.filter.text.trim()) return
              this.hits = hits
              this.changed()
            }),
          findPause
        )
      }
    }
    this.changed()
  }

  show(name: string, visits: ReadonlyArray<number>): void {
    this.filter = { ...noFilter, only: { name, visits: new Set(visits) } }
    this.pane = "visits"
    this.changed()
  }

  select(to: Selection, origin?: Pane): void {
    this.#select({ to, origin })
  }

  /** Selects nothing. */
  deselect(origin?: Pane): void {
    this.#select({ origin })
  }

  #select({ origin, to }: {
    readonly to?: Selection | undefined
    readonly origin: Pane | "edit" | undefined
  }): void {
    this.selection = to
    this.selected++
    this.origin = origin
    this.goal = undefined
    this.#remember()
    this.changed()
  }

  go(goal: Goal): void {
    if (goal.pane === "visit") this.select({ kind: "field", path: goal.path }, "visit")
    this.goal = goal
    this.pane = goal.pane
    if (goal.pane === "mapping") this.file = goal.at.name
    this.changed()
  }

  open(pane: Pane): void {
    this.pane = pane
    this.changed()
  }

  step(by: 1 | -1): void {
    const { matches } = this
    const at = matches.findIndex(([, { key }]) => key === this.visit?.key)
    const next = at < 0 ? matches.at(by === 1 ? 0 : -1) : matches[at + by]
    if (next !== undefined) void this.choose(next[1].key)
  }

  /** Shows a visit. The selection stays if it is the same visit, converted again. */
  async choose(key: string): Promise<void> {
    this.#expected = key
    const view = await request<VisitView | null>(`visit?of=${encodeURIComponent(key)}`)
    if (this.#expected !== key) return
    if (view === undefined || view === null) {
      this.isGone = this.visit?.key === key
      return this.changed()
    }
    await this.#readMapping()
    if (this.#expected !== key) return
    const before = this.visit
    const isSame = before?.key === key
    const keep = isSame && stillThere(before, view, this.selection) ? this.selection : undefined
    this.visit = view
    this.isGone = false
    this.earlier = !isSame ? undefined : before.made === view.made ? this.earlier : before
    if (!isSame) this.said = `Visit ${view.code ?? key}, ${shownStates[view.state].word}`
    this.#select({ to: keep ?? this.#remembered(), origin: isSame ? "edit" : undefined })
  }

  /** Tries an edited text a moment after the last key; `from` is the text before the key. */
  edit(file: string, text: string, from: string): void {
    if (this.#editing !== undefined && this.#editing.file !== file) void this.#sendEdit()
    const begun = this.#editing?.file === file ? this.#editing.from : from
    clearTimeout(this.#editing?.timer)
    this.saveProblem = null
    this.#editing = { file, text, from: begun, timer: setTimeout(() => void this.#sendEdit(), editPause) }
    this.#typed.set(file, text)
    this.#replace([{ name: file, text }])
  }

  async #sendEdit(): Promise<void> {
    const edit = this.#editing
    if (edit === undefined) return
    clearTimeout(edit.timer)
    await this.#act("edit", { file: edit.file, text: edit.text, from: edit.from })
    if (this.#editing === edit) this.#editing = undefined
  }

  /** Asks the program to change something, after what was asked before. */
  #act<A>(path: "edit" | "undo" | "save", body: unknown): Promise<A & { readonly revision: number } | undefined> {
    const action = this.#actions.then(() => request<A & { readonly revision: number }>(path, body)).then((response) => {
      this.#revision = Math.max(this.#revision, response?.revision ?? 0)
      return response
    })
    this.#actions = action.catch(() => undefined)
    return action
  }

  async undo(): Promise<void> {
    clearTimeout(this.#editing?.timer)
    this.#editing = undefined
    this.saveProblem = null
    const response = await this.#act<{ readonly files: ReadonlyArray<FileText> }>("undo", {})
    if (response === undefined) return
    // The user can type on at once, in the text on disk. The program checks it later.
    this.#typed.clear()
    this.#replace(response.files)
    if (this.status !== undefined) this.status = { ...this.status, edited: [] }
    this.changed()
  }

  async save(): Promise<void> {
    await this.#sendEdit()
    const response = await this.#act<{ readonly problem: string | null }>("save", {})
    this.saveProblem = response === undefined ? "The program did not respond." : response.problem
    if (this.saveProblem === null) this.said = "Saved"
    this.changed()
  }

  #replace(texts: ReadonlyArray<FileText>): void {
    if (this.mapping === undefined) return
    const files = this.mapping.files.map((file) => ({ ...file, ...texts.find(({ name }) => name === file.name) }))
    this.mapping = { ...this.mapping, files }
  }

  async #readMapping(): Promise<void> {
    if (this.mapping !== undefined && this.mapping.texts === this.status?.texts) return
    const mapping = await request<MappingView>("mapping")
    // The program has not read the texts of the last edit yet. Another status follows when it has.
    if (mapping === undefined || mapping.revision < this.#revision) return
    this.mapping = mapping
    this.#replace([...this.#typed].map(([name, text]) => ({ name, text })))
    if (!mapping.files.some(({ name }) => name === this.file)) {
      this.file = (mapping.files.find(({ editable }) => editable) ?? mapping.files[0])?.name ?? ""
    }
  }

  async #take(status: PageStatus): Promise<void> {
    if (status.revision < this.#revision) return
    this.#revision = status.revision
    for (const file of this.#typed.keys()) {
      if (file !== this.#editing?.file && !status.edited.includes(file)) this.#typed.delete(file)
    }
    const before = this.status
    this.status = status
    if (
      this.mapping?.texts !== status.texts && status.texts > 0 &&
      (status.mistakes.length > 0 || status.phase === "done")
    ) {
      await this.#readMapping()
    }
    this.changed()
    if (status.listed > this.#listShown) {
      this.#listShown = status.listed
      const [list, plan] = await Promise.all([request<VisitList>("visits"), request<PlanView | null>("plan")])
      if (list !== undefined) this.list = list
      this.plan = plan ?? undefined
      if (this.filter.only !== undefined) this.filter = { ...this.filter, only: undefined }
      if (this.filter.text !== "") this.find({ text: this.filter.text })
      if (this.visit === undefined) {
        const first = this.list.visits[Number(this.#address?.[1] ?? 1) - 1] ?? this.list.visits[0]
        if (first !== undefined) await this.choose(first.key)
      } else {
        this.#remember()
        // The comparison of a visit with others is known only after all visits are converted.
        const { key: shown } = this.visit
        const line = this.list.visits.find(({ key }) => key === shown)
        if (
          line !== undefined && line.state !== null &&
          (line.state !== this.visit.state || line.problems.length !== kindsOf(this.visit))
        ) {
          await this.choose(this.visit.key)
        }
      }
    } else if (this.#expected === undefined && status.first !== null && this.#address === null) {
      await this.choose(status.first)
    }
    // The selected visit is fetched first, before all others are converted again.
    if (this.visit !== undefined && status.made > this.visit.made && status.made > (before?.made ?? 0)) {
      await this.choose(this.visit.key)
    }
    if (status.phase === "done" && before !== undefined && before.phase !== "done") {
      const open = status.open === 0 ? "" : `, ${status.open} still open`
      this.said = `${status.ready} ready, ${status.rejected} rejected${open}`
    }
    this.changed()
  }

  /** Writes the visit's number and the field's name to the address, so that a reloaded page restores them. */
  #remember(): void {
    const index = this.list.visits.findIndex(({ key }) => key === this.visit?.key)
    if (index < 0) return
    // A browser stores addresses and titles in its history, so neither identifies a visit.
    document.title = `Visit ${index + 1} · Workbench`
    const { selection } = this
    const field = selection?.kind === "field" ? `/${encodeURIComponent(selection.path)}` : ""
    history.replaceState(null, "", `#${index + 1}${field}`)
  }

  #remembered(): Selection | undefined {
    const path = this.#address?.[2]
    this.#address = null
    try {
      return path === undefined ? undefined : { kind: "field", path: decodeURIComponent(path) }
    } catch {
      return undefined
    }
  }
}

/** Whether the selection means the same after the visit is converted again: a line of a file or of a record may have moved. */
const stillThere = (before: VisitView, now: VisitView, selection: Selection | undefined): boolean => {
  if (selection?.kind === "line") return before.made === now.made
  if (selection?.kind !== "element") return true
  const [record, line] = selection.element
  const found = now.records[record]
  return found !== undefined && found.reference === before.records[record]?.reference && line < found.lines.length
}

const kindsOf = ({ problems }: VisitView): number =>
  new Set(problems.map(({ code, severity }) => `${severity} ${code}`)).size

/** The row that contains a field, for a field that the visit does not have. */
export const nearestField = (visit: VisitView, field: string): string | undefined =>
  visit.fields.findLast((row) => isWithin(field, row.path))?.path
