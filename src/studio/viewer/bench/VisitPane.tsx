import { useEffect, useRef } from "preact/hooks"
import { plural } from "../../../diagnostic/count.ts"
import { Marked } from "../parts.tsx"
import { CaseDialog } from "./CaseDialog.tsx"
import { Go, mounted, reveal, short, shortLabel, useRoving } from "./dom.tsx"
import type { Lit } from "./Selection.ts"
import { nearestField, type Session } from "./Session.tsx"
import { shownStates } from "./states.ts"
import type { FieldRow, ProblemView } from "./Wire.ts"

/** The visit that the mapping produces, field by field, with all its problems. */
export const VisitPane = ({ lit, session }: { readonly session: Session; readonly lit: Lit }) => {
  const tree = useRef<HTMLDivElement>(null)
  const { earlier, goal, selected, selection, status, visit } = session
  useRoving(tree, (item) => session.select({ kind: "field", path: item.dataset["path"] ?? "" }, "visit"))
  useEffect(() => {
    const chosen = mounted(tree).querySelector<HTMLElement>("[aria-selected=true]")
    if (goal?.pane === "visit" && chosen !== null) {
      reveal(mounted(tree), chosen)
      chosen.focus()
    } else if (session.origin !== "visit" && session.origin !== "edit") {
      const first = mounted(tree).querySelector<HTMLElement>(".lit")
      if (first !== null) reveal(mounted(tree), first)
    }
  }, [selected, goal])
  const old = new Map(earlier?.fields.map(({ path, text }) => [path, text]))
  const worst = new Map<string, "error" | "warning">()
  for (const { field, severity } of visit?.problems ?? []) {
    if (field !== null && worst.get(field) !== "error") worst.set(field, severity)
  }
  const isOld = status !== undefined && status.mistakes.length > 0 && status.made > 0
  return (
    <section id="visit" aria-label="Visit" class={session.pane === "visit" ? "" : "away"}>
      <div class="title">
        <h2>Visit</h2>
        {isOld ? <p id="old" class="tag">old</p> : null}
        {visit === undefined ? null : <CaseDialog key={visit.key} visitKey={visit.key} />}
        <label class="blanks">
          <input
            type="checkbox"
            id="blanks"
            defaultChecked
            onChange={(event) => document.body.classList.toggle("no-blanks", !event.currentTarget.checked)}
          />{" "}
          blank fields
        </label>
      </div>
      <p id="visit-head">
        {visit === undefined ? null : (
          <>
            <strong>{visit.code ?? "no code"}</strong>{" "}
            <span class={`state ${shownStates[visit.state].tone}`}>
              {`${shownStates[visit.state].sign} ${shownStates[visit.state].word}`}
            </span>{" "}
            <span class="dim">from {visit.source}</span>
          </>
        )}
        {session.isGone ? <span class="state bad">this mapping no longer makes a visit of it</span> : null}
      </p>
      <Problems session={session} />
      <div id="fields" role="tree" aria-label="Fields of the visit" ref={tree}>
        {visit?.fields.map((row) => {
          const was = earlier === undefined || row.text === null ? undefined : old.get(row.path) ?? "not there"
          return (
            <Field
              key={row.path}
              row={row}
              worst={worst.get(row.path)}
              was={was === row.text ? undefined : was}
              isLit={lit.fields.has(row.path)}
              isChosen={selection?.kind === "field" && selection.path === row.path}
            />
          )
        })}
      </div>
    </section>
  )
}

const Field = ({ isChosen, isLit, row, was, worst }: {
  readonly row: FieldRow
  readonly worst: "error" | "warning" | undefined
  readonly was: string | undefined
  readonly isLit: boolean
  readonly isChosen: boolean
}) => {
  const { depth, name, path, rows, summary, text } = row
  const isBlank = text === "null" || text === "\"\"" || text === "[]" || (text === null && rows === 0)
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isChosen}
      tabIndex={-1}
      data-item
      data-path={path}
      class={`item in d${Math.min(depth, 9)}${text === null ? " holder" : ""}${isBlank ? " blank" : ""}${
        was === undefined ? "" : " changed"
      }${isLit ? " lit" : ""}`}
    >
      {worst === undefined ? null : <Sign severity={worst} />}
      <span class="key">{name}</span> {text === null
        ? rows === null ? null : <span class="dim">{rows === 0 ? "none" : plural(rows, "row")}</span>
        : <span class="value">{isBlank ? "blank" : text}</span>}
      {summary?.by === "value" || summary?.by === "default"
        ? <span class="tag">{summary.by === "value" ? "fixed" : "default"}</span>
        : null}
      {was === undefined ? null : <span class="tag was">{was === "not there" ? "new" : `was ${was}`}</span>}
    </div>
  )
}

export const Sign = ({ severity }: { readonly severity: string }) => (
  <span class={severity} role="img" aria-label={severity}>{severity === "error" ? "✕" : "!"}</span>
)

const Problems = ({ session }: { readonly session: Session }) => {
  const problems = session.visit?.problems ?? []
  const errors = problems.filter(({ severity }) => severity === "error")
  const warnings = problems.filter(({ severity }) => severity !== "error")
  if (session.visit === undefined) return <div id="problems"></div>
  if (problems.length === 0) {
    return (
      <div id="problems">
        <p class="dim">No problems</p>
      </div>
    )
  }
  const counts = [[errors, "error"] as const, [warnings, "warning"] as const]
  return (
    <div id="problems">
      <details key={session.visit.key} open={errors.length > 0}>
        <summary>
          {counts.flatMap(([list, noun]) => (list.length === 0 ? [] : [plural(list.length, noun)])).join(", ")}
        </summary>
        <ul>
          {[...errors, ...warnings].map((problem, at) => <Problem key={at} problem={problem} session={session} />)}
        </ul>
      </details>
    </div>
  )
}

const Problem = ({ problem, session }: { readonly problem: ProblemView; readonly session: Session }) => {
  const { at, code, facts, field, help, label, meaning, owner, path, record, severity, source, title, value } = problem
  const { visit } = session
  if (visit === undefined) return null
  // A missing field is reached through the section that contains it.
  const near = field === null ? undefined : nearestField(visit, field)
  return (
    <li class={`problem ${severity}-problem`}>
      <p>
        <Sign severity={severity} /> <Marked text={title} />
        {label === null ? null : <span class="dim">— {label}</span>}
      </p>
      <p class="links">
        {near === undefined
          ? null
          : <Go to={() => session.go({ pane: "visit", path: near })} title="Go to the field">{field}</Go>}
        {at === null || at.file < 0 ?
          null :
          (
            <Go to={() => session.go({ pane: "mapping", at })} title={`Go to the line: ${at.name}:${at.line}`}>
              {short(at.name)}:{at.line}
            </Go>
          )}
        {record === null
          ? source === null ? null : <span class="dim">{source}</span>
          : (
            <Go to={() => session.go({ pane: "source", record })} title={`Go to the record: ${source}`}>
              {shortLabel(source ?? "record", visit.records[record]?.line)}
            </Go>
          )}
      </p>
      {path === null || near === undefined ? null : (
        <p class="path">
          <code>{path}</code>
        </p>
      )}
      {value === null ? null : (
        <p>
          <span class="dim">found</span> <code>{value}</code>
        </p>
      )}
      {facts.map(([name, text]) => (
        <p key={name}>
          <span class="dim">{name}</span> {text}
        </p>
      ))}
      {help.length === 0 ? null : (
        <ul class="help">
          {help.map((line) => (
            <li key={line}>
              <Marked text={line} />
            </li>
          ))}
        </ul>
      )}
      <details class="meaning">
        <summary>{code}</summary>
        <p>
          {meaning} It is for the {owner} to change. <code>fhir2visit explain {code}</code>
        </p>
      </details>
    </li>
  )
}
