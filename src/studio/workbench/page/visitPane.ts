import type { FieldRow, ProblemView, VisitView } from "../Wire.ts"
import type { Bus } from "./Bus.ts"
import { byId, el, linkElement, pluralOf, reveal } from "./dom.ts"
import { roving } from "./roving.ts"
import { isWithin, type Lit, type Selection } from "./Selection.ts"

/** The visit that the mapping produces, field by field, with all its problems. */
export const visitPane = (bus: Bus) => {
  const head = byId("visit-head")
  const problems = byId("problems")
  const tree = byId("fields")
  const rows = new Map<string, HTMLElement>()
  const { stopAt } = roving(tree, (item) => bus.select({ kind: "field", path: item.dataset["path"]! }))

  return {
    show: (visit: VisitView, before: VisitView | undefined): void => {
      head.replaceChildren(
        el("strong", {}, visit.code ?? "no code"),
        el("span", { class: visit.ready ? "state good" : "state bad" }, visit.ready ? "✓ ready" : "✕ rejected"),
        el("span", { class: "dim" }, `grew from ${visit.source}`)
      )
      showProblems(problems, visit, bus)
      const focused = tree.contains(document.activeElement)
        ? (document.activeElement as HTMLElement).dataset["path"]
        : undefined
      rows.clear()
      const worst = worstByField(visit.problems)
      const old = new Map(before?.fields.map(({ path, text }) => [path, text]))
      tree.replaceChildren(...visit.fields.map((row) => {
        const was = before === undefined || row.text === null ? undefined : old.get(row.path) ?? "not there"
        const item = fieldItem(row, worst.get(row.path), was === row.text ? undefined : was)
        rows.set(row.path, item)
        return item
      }))
      const item = focused === undefined ? undefined : rows.get(focused)
      stopAt(item)
      item?.focus({ preventScroll: true })
    },
    mark: (lit: Lit, selection: Selection | undefined, scroll: boolean): void => {
      const chosen = selection?.kind === "field" ? selection.path : undefined
      let first: HTMLElement | undefined
      for (const [path, item] of rows) {
        const on = lit.fields.has(path)
        item.classList.toggle("lit", on)
        item.setAttribute("aria-selected", String(path === chosen))
        if (on) first ??= item
      }
      if (chosen !== undefined) stopAt(rows.get(chosen))
      if (first !== undefined && scroll) reveal(tree, first)
    },
    /** The highlighted items, for the lines between panes. */
    lit: (): ReadonlyArray<HTMLElement> => [...tree.querySelectorAll<HTMLElement>(".lit")],
    pane: tree,
    focus: (path: string): void => rows.get(path)?.focus()
  }
}

const fieldItem = (row: FieldRow, worst: "error" | "warning" | undefined, was: string | undefined): HTMLElement => {
  const { depth, name, path, rows, tale, text } = row
  const blank = text === "null" || text === "\"\"" || text === "[]" || (text === null && rows === 0)
  return el(
    "div",
    {
      role: "treeitem",
      "aria-level": depth + 1,
      "aria-selected": "false",
      tabindex: -1,
      "data-item": true,
      "data-path": path,
      class: `item in d${Math.min(depth, 9)}${text === null ? " holder" : ""}${blank ? " blank" : ""}${
        was === undefined ? "" : " changed"
      }`
    },
    worst === undefined
      ? null
      : el("span", { class: worst, role: "img", "aria-label": worst }, worst === "error" ? "✕" : "!"),
    el("span", { class: "key" }, name),
    " ",
    text === null
      ? rows === null ? null : el("span", { class: "dim" }, rows === 0 ? "none" : pluralOf(rows, "row"))
      : el("span", { class: "value" }, blank ? "blank" : text),
    tale?.by === "value" || tale?.by === "default"
      ? el("span", { class: "tag" }, tale.by === "value" ? "fixed" : "default")
      : null,
    was === undefined ? null : el("span", { class: "tag was" }, was === "not there" ? "new" : `was ${was}`)
  )
}

/** Returns the most severe problem of each field and of the section around it. */
const worstByField = (problems: ReadonlyArray<ProblemView>): ReadonlyMap<string, "error" | "warning"> => {
  const worst = new Map<string, "error" | "warning">()
  for (const { field, severity } of problems) {
    if (field !== null && worst.get(field) !== "error") worst.set(field, severity)
  }
  return worst
}

const showProblems = (box: HTMLElement, visit: VisitView, bus: Bus): void => {
  const errors = visit.problems.filter(({ severity }) => severity === "error").length
  const warnings = visit.problems.length - errors
  const summary = visit.problems.length === 0
    ? "No problems"
    : [errors > 0 ? pluralOf(errors, "error") : "", warnings > 0 ? pluralOf(warnings, "warning") : ""].filter(Boolean)
      .join(
        ", "
      )
  const details = el(
    "details",
    { open: errors > 0 },
    el("summary", {}, summary),
    el(
      "ul",
      {},
      ...[...visit.problems].sort((one, other) => rank(one) - rank(other)).map((problem) =>
        problemItem(problem, visit, bus)
      )
    )
  )
  box.replaceChildren(visit.problems.length === 0 ? el("p", { class: "dim" }, summary) : details)
}

const rank = ({ severity }: ProblemView): number => (severity === "error" ? 0 : 1)

const problemItem = (problem: ProblemView, visit: VisitView, bus: Bus): HTMLElement => {
  const { at, code, facts, field, help, label, meaning, owner, path, record, severity, source, title, value } = problem
  // A missing field is reached through the section that contains it.
  const near = field === null ? undefined : visit.fields.findLast((row) => isWithin(field, row.path))?.path
  return el(
    "li",
    { class: `problem ${severity}-problem` },
    el(
      "p",
      {},
      el("span", { class: severity, role: "img", "aria-label": severity }, severity === "error" ? "✕" : "!"),
      " ",
      ...inCode(title),
      label === null ? null : el("span", { class: "dim" }, ` — ${label}`)
    ),
    el(
      "p",
      { class: "links" },
      near === undefined ? null : linkElement(field!, () => bus.showField(near), "Go to the field"),
      at === null || at.file < 0
        ? null
        : linkElement(`${short(at.name)}:${at.line}`, () => bus.showPlace(at), `Go to the line: ${at.name}:${at.line}`),
      record === null
        ? source === null ? null : el("span", { class: "dim" }, source)
        : linkElement(
          shortLabel(source ?? "record", visit.records[record]!.line),
          () => bus.showRecord(record),
          `Go to the record: ${source}`
        )
    ),
    path === null || near === undefined ? null : el("p", { class: "path" }, el("code", {}, path)),
    value === null ? null : el("p", {}, el("span", { class: "dim" }, "found "), el("code", {}, value)),
    ...facts.map(([name, text]) => el("p", {}, el("span", { class: "dim" }, `${name} `), text)),
    help.length === 0 ? null : el("ul", { class: "help" }, ...help.map((line) => el("li", {}, ...inCode(line)))),
    el(
      "details",
      { class: "meaning" },
      el("summary", {}, code),
      el("p", {}, `${meaning} It is for the ${owner} to change. `, el("code", {}, `fhir2visit explain ${code}`))
    )
  )
}

/** Renders names in backticks as code. */
const inCode = (text: string): ReadonlyArray<Node | string> =>
  text.split("`").map((part, index) => (index % 2 === 1 ? el("code", {}, part) : part))

/** Returns the end of a file path: the folder and the file name. */
export const short = (name: string): string => name.split("/").slice(-2).join("/")

/** Names a record by its type and the beginning of its id, or by its line if it has no id. */
export const shortLabel = (reference: string, line?: number): string =>
  reference.includes("/") || line === undefined
    ? reference.replace(/([\w-]{8})[\w-]{8,}$/u, "$1…")
    : `${reference}, line ${line}`
