import type { ElementRef, FieldRow, FieldSummary, SourceLocation, VisitView } from "../Wire.ts"
import type { Bus } from "./Bus.ts"
import { byId, el, linkElement } from "./dom.ts"
import { elementText, endOf, readersOf, type Selection, sourceLocationOf, writtenAt } from "./Selection.ts"
import { short, shortLabel } from "./visitPane.ts"

/** Maximum number of fields or elements listed by name; the others are only counted. */
const max = 12

/** Describes the provenance of the selected item in words: from source through mapping to visit. */
export const provenanceCard = (bus: Bus) => {
  const card = byId("story")
  return {
    show: (visit: VisitView | undefined, selection: Selection | undefined): void => {
      const body = visit === undefined || selection === undefined ? undefined : reported(visit, selection, bus)
      card.hidden = body === undefined
      document.body.classList.toggle("has-story", body !== undefined)
      const close = linkElement("×", () => bus.select(undefined), "Close (Esc)")
      close.className = "close"
      close.setAttribute("aria-label", "Close")
      card.replaceChildren(...(body === undefined ? [] : [close, ...body]))
    }
  }
}

const reported = (visit: VisitView, selection: Selection, bus: Bus): ReadonlyArray<HTMLElement> | undefined => {
  switch (selection.kind) {
    case "field": {
      const row = visit.fields.find(({ path }) => path === selection.path)
      return row === undefined ? undefined : describeField(visit, row, bus)
    }
    case "element": {
      const { made, read } = readersOf(visit, selection.element)
      const [record, line] = selection.element
      const source = visit.records[record]!
      const isRead = readBelow(visit, selection.element)
      const isName = source.lines[line]![3] === 2
      return [
        el("h3", {}, `${shortLabel(source.reference, source.line)} › ${elementText(visit, selection.element)}`),
        definitions([
          ["becomes", made.length === 0 ? null : fieldLinks(made, bus)],
          ["looked at for", read.length === 0 ? null : fieldLinks(read, bus)],
          [
            "read by",
            made.length + read.length > 0
              ? null
              : isRead
              ? el("span", {}, "no field: where records are found, chosen and put in order")
              : isName
              ? el("span", {}, "no field: it says what this is, and is not data")
              : el("strong", {}, "nothing: no line of the mapping reads it for this visit")
          ]
        ])
      ]
    }
    case "line": {
      const rows = visit.fields.filter((row) => writtenAt(row, selection.file, selection.line))
      return [
        el("h3", {}, `Line ${selection.line}`),
        definitions([[
          "makes",
          rows.length === 0 ? el("span", {}, "no field of this visit") : fieldLinks(rows, bus)
        ]])
      ]
    }
  }
}

/** Whether a line, or any line below it, was read. */
const readBelow = (visit: VisitView, [record, line]: ElementRef): boolean =>
  visit.records[record]!.lines.slice(line, endOf(visit, record, line)).some(([, , , read]) => read === 1)

const describeField = (visit: VisitView, row: FieldRow, bus: Bus): ReadonlyArray<HTMLElement> => {
  const { tale } = row
  const at = sourceLocationOf(visit, row)
  const place = (one: SourceLocation) =>
    one.file < 0
      ? el("code", {}, `${one.name}:${one.line}`)
      : linkElement(`${short(one.name)}:${one.line}`, () => bus.showPlace(one), `${one.name}:${one.line}:${one.column}`)
  const over = tale?.over ?? []
  const elements = tale === null
    ? []
    : tale.found.length > 0
    ? tale.found
    : tale.looked
  return [
    el(
      "h3",
      {},
      row.path,
      tale === null ? null : el("span", { class: "dim" }, ` specification ${tale.specification}`)
    ),
    definitions([
      ["value", row.text === null ? null : el("span", { class: "value" }, row.text, ...said(row))],
      [
        "line",
        at === null ? null : el(
          "span",
          {},
          place(at),
          ...(over.length === 0 ? [] : [el("span", { class: "dim" }, " wins over "), ...between(over.map(place))])
        )
      ],
      [
        "path",
        tale === null || tale.paths.length === 0 ? null : pathList(tale.paths)
      ],
      ...(tale?.codes ?? []).map(({ at: rowAt, map, row: key, text }) =>
        [
          "code",
          el(
            "span",
            {},
            el("code", {}, text),
            el("span", { class: "dim" }, rowAt === null ? ` in ${map}: ${key ?? ""}` : ` in ${map}, row `),
            rowAt === null ? null : place(rowAt)
          )
        ] as const
      ),
      [
        "stands on",
        row.stands.length === 0 ? null : el(
          "span",
          {},
          ...between(
            row.stands.slice(0, max).map((record) => {
              const { line, reference } = visit.records[record]!
              return linkElement(shortLabel(reference, line), () => bus.showRecord(record), reference)
            })
          ),
          row.stands.length > max ? ` and ${row.stands.length - max} more` : ""
        )
      ],
      ["unit", tale?.unit == null ? null : el("span", {}, tale.unit)],
      [
        "minted",
        tale?.minted == null ? null : el("span", {}, `the source gives no code: made of the key ${tale.minted}`)
      ],
      [
        tale !== null && tale.found.length > 0 ? "found in" : "read from",
        elements.length === 0 ? null : el(
          "ul",
          {},
          ...elements.slice(0, max).map((element) => {
            const { line, reference } = visit.records[element[0]]!
            const text = elementText(visit, element)
            const go = () => bus.showElement(element)
            return el("li", {}, linkElement(`${shortLabel(reference, line)} › ${text}`, go, `${reference} › ${text}`))
          }),
          elements.length > max ? el("li", {}, `and ${elements.length - max} more`) : null
        )
      ]
    ])
  ]
}

/** Lists the evaluated paths in order. The paths after the one that won are shown on demand. */
const pathList = (paths: FieldSummary["paths"]): HTMLElement => {
  const item = ({ found, outcome, text }: FieldSummary["paths"][number]) =>
    el(
      "li",
      { class: outcome },
      el("code", {}, text),
      outcome === "won" && paths.length === 1 && found === 1
        ? null
        : el(
          "span",
          { class: "dim" },
          ` ${outcomes[outcome] ?? outcome}${outcome === "won" && found > 1 ? `, ${found} values` : ""}`
        )
    )
  const rest = paths.filter(({ outcome }) => outcome === "not-asked")
  return el(
    "div",
    {},
    el("ol", { class: "paths" }, ...paths.filter((path) => !rest.includes(path)).map(item)),
    rest.length === 0 ? null : el(
      "details",
      {},
      el("summary", { class: "dim" }, `${rest.length} not asked`),
      el("ol", { class: "paths" }, ...rest.map(item))
    )
  )
}

const outcomes: Readonly<Record<string, string>> = {
  won: "found it",
  "found-nothing": "found nothing",
  "not-fitting": "found what the field cannot hold"
}

const said = ({ tale }: FieldRow): ReadonlyArray<HTMLElement> => {
  const words = {
    source: "stated outright by the source",
    path: "",
    value: "stated by the mapping",
    default: "the mapping's default",
    nothing: "nothing was found"
  }
  const text = tale === null ? "" : words[tale.by]
  return text === "" ? [] : [el("span", { class: "dim" }, ` ${text}`)]
}

const fieldLinks = (rows: ReadonlyArray<FieldRow>, bus: Bus): HTMLElement =>
  el(
    "span",
    {},
    ...between(rows.slice(0, max).map(({ path }) => linkElement(path, () => bus.showField(path)))),
    rows.length > max ? ` and ${rows.length - max} more` : ""
  )

const between = (nodes: ReadonlyArray<HTMLElement>): ReadonlyArray<Node | string> =>
  nodes.flatMap((node, index) => (index === 0 ? [node] : [", ", node]))

const definitions = (pairs: ReadonlyArray<readonly [string, HTMLElement | null]>): HTMLElement =>
  el("dl", {}, ...pairs.flatMap(([name, body]) => (body === null ? [] : [el("dt", {}, name), el("dd", {}, body)])))
