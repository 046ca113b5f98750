import { at } from "../../../at.ts"
import { FactList } from "../parts.tsx"
import { between, Go, short, shortLabel } from "./dom.tsx"
import { elementText, endOf, readersOf, sourceLocationOf, writtenAt } from "./Selection.ts"
import type { Session } from "./Session.tsx"
import type { ElementRef, FieldRow, FieldSummary, SourceLocation, VisitView } from "./Wire.ts"

/** Maximum number of fields or elements listed by name; the others are only counted. */
const max = 12

/** Describes the provenance of the selected item in words: from source through mapping to visit. */
export const Story = ({ session }: { readonly session: Session }) => {
  const { selection, visit } = session
  if (visit === undefined || selection === undefined) return null
  const row = selection.kind === "field" ? visit.fields.find(({ path }) => path === selection.path) : undefined
  if (selection.kind === "field" && row === undefined) return null
  return (
    <aside id="story" aria-label="Where it comes from">
      <button
        type="button"
        class="close"
        title="Close (Esc)"
        aria-label="Close"
        onClick={() => session.deselect()}
      >
        ×
      </button>
      {row !== undefined
        ? <FieldStory session={session} visit={visit} row={row} />
        : selection.kind === "element"
        ? <ElementStory session={session} visit={visit} element={selection.element} />
        : selection.kind === "line"
        ? <LineStory session={session} visit={visit} file={selection.file} line={selection.line} />
        : null}
    </aside>
  )
}

interface Of {
  readonly session: Session
  readonly visit: VisitView
}

const LineStory = ({ file, line, session, visit }: Of & { readonly file: string; readonly line: number }) => {
  const rows = visit.fields.filter((row) => writtenAt(row, file, line))
  return (
    <>
      <h3>Line {line}</h3>
      <FactList
        rows={[["makes", rows.length === 0 ? "no field of this visit" : <Fields session={session} rows={rows} />]]}
      />
    </>
  )
}

const ElementStory = ({ element, session, visit }: Of & { readonly element: ElementRef }) => {
  const { made, read } = readersOf(visit, element)
  const [record, line] = element
  const source = at(visit.records, record)
  const isRead = source.lines.slice(line, endOf(visit, record, line)).some(([, , , state]) => state === 1)
  return (
    <>
      <h3>{`${shortLabel(source.reference, source.line)} › ${elementText(visit, element)}`}</h3>
      <FactList
        rows={[
          ["becomes", made.length === 0 ? null : <Fields session={session} rows={made} />],
          ["read for", read.length === 0 ? null : <Fields session={session} rows={read} />],
          [
            "read by",
            made.length + read.length > 0
              ? null
              : isRead
              ? "no field: it is used to find, select and sort records"
              : at(source.lines, line)[3] === 2
              ? "no field: it states a type, and is not data"
              : <strong>nothing: no line of the mapping reads it for this visit</strong>
          ]
        ]}
      />
    </>
  )
}

const Fields = ({ rows, session }: { readonly session: Session; readonly rows: ReadonlyArray<FieldRow> }) => (
  <span>
    {between(
      rows.slice(0, max).map(({ path }) => <Go key={path} to={() => session.go({ pane: "visit", path })}>{path}</Go>)
    )}
    {rows.length > max ? ` and ${rows.length - max} more` : ""}
  </span>
)

const FieldStory = ({ row, session, visit }: Of & { readonly row: FieldRow }) => {
  const { summary } = row
  const line = sourceLocationOf(visit, row)
  const place = (one: SourceLocation) =>
    one.file < 0
      ? <code>{`${one.name}:${one.line}`}</code>
      : (
        <Go to={() => session.go({ pane: "mapping", at: one })} title={`${one.name}:${one.line}:${one.column}`}>
          {`${short(one.name)}:${one.line}`}
        </Go>
      )
  const over = summary?.over ?? []
  const elements = summary === null ? [] : summary.found.length > 0 ? summary.found : summary.looked
  const by = summary === null ? "" : sources[summary.by]
  return (
    <>
      <h3>
        {row.path}
        {summary === null ? null : <span class="dim">specification {summary.specification}</span>}
      </h3>
      <FactList
        rows={[
          [
            "value",
            row.text === null ? null : (
              <span class="value">
                {row.text}
                {by === "" ? null : <span class="dim">{by}</span>}
              </span>
            )
          ],
          [
            "line",
            line === null ? null : (
              <span>
                {place(line)}
                {over.length === 0 ? null : <span class="dim">{" "}overrides{" "}</span>}
                {between(over.map(place))}
              </span>
            )
          ],
          ["path", summary === null || summary.paths.length === 0 ? null : <Paths paths={summary.paths} />],
          ...(summary?.codes ?? []).map(({ at: rowAt, map, row: key, text }) =>
            [
              "code",
              <span>
                <code>{text}</code>
                <span class="dim">{rowAt === null ? ` in ${map}: ${key ?? ""}` : ` in ${map}, row `}</span>
                {rowAt === null ? null : place(rowAt)}
              </span>
            ] as const
          ),
          [
            "row from",
            row.records.length === 0 ? null : (
              <span>
                {between(
                  row.records.slice(0, max).map((record) => {
                    const { line, reference } = at(visit.records, record)
                    return (
                      <Go key={record} to={() => session.go({ pane: "source", record })} title={reference}>
                        {shortLabel(reference, line)}
                      </Go>
                    )
                  })
                )}
                {row.records.length > max ? ` and ${row.records.length - max} more` : ""}
              </span>
            )
          ],
          ["unit", summary?.unit ?? null],
          [
            "generated",
            summary?.minted == null ? null : `no code in the source: generated from the key ${summary.minted}`
          ],
          [
            summary !== null && summary.found.length > 0 ? "found in" : "read from",
            elements.length === 0 ? null : (
              <ul>
                {elements.slice(0, max).map((element) => {
                  const { line, reference } = at(visit.records, element[0])
                  const text = elementText(visit, element)
                  return (
                    <li key={String(element)}>
                      <Go to={() => session.go({ pane: "source", element })} title={`${reference} › ${text}`}>
                        {`${shortLabel(reference, line)} › ${text}`}
                      </Go>
                    </li>
                  )
                })}
                {elements.length > max ? <li>and {elements.length - max} more</li> : null}
              </ul>
            )
          ]
        ]}
      />
    </>
  )
}

const sources = {
  source: " stated by the source",
  path: "",
  value: " stated by the mapping",
  default: " the mapping's default",
  nothing: " no value was found"
}

/** Lists the evaluated paths in order. The paths after the one that won are shown on demand. */
const Paths = ({ paths }: { readonly paths: FieldSummary["paths"] }) => {
  const item = ({ found, outcome, text }: FieldSummary["paths"][number], at: number) => (
    <li key={at} class={outcome}>
      <code>{text}</code>
      {outcome === "won" && paths.length === 1 && found === 1 ? null : (
        <span class="dim">
          {` ${outcomes[outcome] ?? outcome}${outcome === "won" && found > 1 ? `, ${found} values` : ""}`}
        </span>
      )}
    </li>
  )
  const rest = paths.filter(({ outcome }) => outcome === "not-asked")
  return (
    <div>
      <ol class="paths">{paths.filter((path) => !rest.includes(path)).map(item)}</ol>
      {rest.length === 0 ? null : (
        <details>
          <summary class="dim">{rest.length} not evaluated</summary>
          <ol class="paths">{rest.map(item)}</ol>
        </details>
      )}
    </div>
  )
}

const outcomes: Readonly<Record<string, string>> = {
  won: "found the value",
  "found-nothing": "found nothing",
  "not-fitting": "found a value that does not fit"
}
