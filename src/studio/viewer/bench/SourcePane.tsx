import { useEffect, useRef, useState } from "preact/hooks"
import { plural } from "../../../diagnostic/count.ts"
import { Go, mounted, reveal, useRoving } from "./dom.tsx"
import { endOf, type Lit } from "./Selection.ts"
import type { Session } from "./Session.tsx"
import type { ElementRef, RecordView, VisitView } from "./Wire.ts"

/** Maximum of highlighted records that are expanded. More would be hard to read. */
const maxExpanded = 12

/** The records of a visit as trees; a record is expanded on demand. */
export const SourcePane = ({ lit, session }: { readonly session: Session; readonly lit: Lit }) => {
  const tree = useRef<HTMLDivElement>(null)
  const { goal, selected, selection, visit } = session
  const [expanded, setExpanded] = useState<{ readonly of: string; readonly open: ReadonlySet<string> }>({
    of: "",
    open: new Set()
  })
  const key = visit?.key ?? ""
  const openOf = (state: typeof expanded): ReadonlySet<string> =>
    state.of === key ? state.open : new Set(visit?.records.slice(0, 1).map(({ reference }) => reference))
  const open = openOf(expanded)
  const turn = (records: ReadonlyArray<number>, isOpen = true): void => {
    const names = records.flatMap((record) => visit?.records[record]?.reference ?? [])
    setExpanded((state) => {
      const next = new Set(openOf(state))
      for (const name of names) next[isOpen ? "add" : "delete"](name)
      return { of: key, open: next }
    })
  }
  const groupOf = (item: HTMLElement) => item.closest<HTMLElement>(".record") ?? item
  const recordOf = (item: HTMLElement) => Number(groupOf(item).dataset["record"])
  useRoving(tree, (item) => {
    const record = recordOf(item)
    const { line } = item.dataset
    if (item.classList.contains("reason")) item.querySelector("button")?.click()
    else if (line === undefined) turn([record], item.getAttribute("aria-expanded") !== "true")
    else session.select({ kind: "element", element: [record, Number(line)] }, "source")
  }, (item, to) => {
    const record = recordOf(item)
    const head = groupOf(item).firstElementChild
    if (item !== head) return to === "open" || !(head instanceof HTMLElement) ? undefined : head
    turn([record], to === "open")
    return undefined
  })
  const shown = goal?.pane === "source" ? ["element" in goal ? goal.element[0] : goal.record] : []
  useEffect(() => {
    if (visit === undefined) return
    const found = lit.found.length > 0 ? lit.found : lit.looked
    const records = [...new Set([...found.map(([record]) => record), ...shown])].slice(0, maxExpanded)
    if (records.length > 0) turn(records)
  }, [selected, goal, visit])
  useEffect(() => {
    const pane = mounted(tree)
    if (goal?.pane === "source") {
      const group = pane.querySelector(`[data-record="${shown[0]}"]`)
      const item = group?.querySelector<HTMLElement>("element" in goal ? `[data-line="${goal.element[1]}"]` : ".head")
      if (item === null || item === undefined) return
      reveal(pane, item)
      item.focus()
    } else if (session.origin !== "source" && session.origin !== "edit") {
      const first = pane.querySelector<HTMLElement>(".item.lit") ?? pane.querySelector<HTMLElement>(".item.looked") ??
        pane.querySelector<HTMLElement>(".has-lit > .head")
      if (first !== null) reveal(pane, first)
    }
  }, [selected, goal, expanded])
  const unread = visit?.records.filter((record) => record.unread).length ?? 0
  return (
    <section id="source" aria-label="Records" class={session.pane === "source" ? "" : "away"}>
      <div class="title">
        <h2>Records</h2>
        <p id="source-head" class="dim">
          {visit === undefined ? "" : plural(visit.records.length, "record")}
          {unread === 0 ? "" : ` · ${unread} that nothing read`}
        </p>
      </div>
      <div id="records" role="tree" aria-label="Records of the visit" ref={tree}>
        {visit?.records.map((record, index) => (
          <RecordGroup
            key={`${key} ${index}`}
            record={record}
            index={index}
            visit={visit}
            session={session}
            lit={lit}
            isOpen={open.has(record.reference)}
            chosen={selection?.kind === "element" && selection.element[0] === index ? selection.element[1] : undefined}
          />
        ))}
      </div>
    </section>
  )
}

const RecordGroup = ({ chosen, index, isOpen, lit, record, session, visit }: {
  readonly record: RecordView
  readonly index: number
  readonly visit: VisitView
  readonly session: Session
  readonly lit: Lit
  readonly isOpen: boolean
  readonly chosen: number | undefined
}) => {
  const { file, excludedBy, line, reference, unread } = record
  const of = (elements: ReadonlyArray<ElementRef>) => elements.flatMap(([one, at]) => (one === index ? [at] : []))
  const found = of(lit.found)
  const isFound = (at: number) => found.some((from) => at >= from && at < endOf(visit, index, from))
  const looked = new Set(of(lit.looked))
  const slash = reference.indexOf("/")
  return (
    <div
      role="group"
      class={`record${unread ? " none" : ""}${lit.records.has(index) || found.length > 0 ? " has-lit" : ""}`}
      data-record={index}
      aria-label={reference}
    >
      <div role="treeitem" aria-level={1} aria-expanded={isOpen} tabIndex={-1} data-item class="item head">
        <span class="name" title={reference}>
          {slash < 0 ? reference : reference.slice(0, slash)}
          {slash < 0 ? null : <span class="id">{reference.slice(slash)}</span>}
        </span>
        {unread ? <span class="tag">not read</span> : null}
        <span class="origin" title={`${file}:${line}`}>
          <span>{file.split("/").at(-1)}</span>:{line}
        </span>
      </div>
      {excludedBy.length === 0 ? null : (
        <div class="kept-out">
          {excludedBy.map(({ at, condition, section }) => (
            <p key={`${section} ${condition}`} role="treeitem" aria-level={2} tabIndex={-1} data-item class="reason">
              <span class="dim">no row of</span> {section}
              <span class="dim">:</span> {at.file < 0
                ? <code>{condition}</code>
                : (
                  <Go to={() => session.go({ pane: "mapping", at })} title={`${at.name}:${at.line}`}>{condition}</Go>
                )}
            </p>
          ))}
        </div>
      )}
      <div role="group" hidden={!isOpen}>
        {!isOpen ? null : record.lines.map(([depth, key, value, read], at) => (
          <div
            key={at}
            role="treeitem"
            aria-level={depth + 2}
            aria-selected={chosen === at}
            tabIndex={-1}
            data-item
            data-line={at}
            class={`item in d${Math.min(depth + 1, 9)}${read === 0 && value !== null ? " unread" : ""}${
              isFound(at) ? " lit" : looked.has(at) ? " looked" : ""
            }`}
          >
            <span class="key">{key}</span> {value === null ? null : <span class="value">{value}</span>}
          </div>
        ))}
      </div>
    </div>
  )
}
