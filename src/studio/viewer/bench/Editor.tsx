import {
  autocompletion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult
} from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { yaml } from "@codemirror/lang-yaml"
import { indentUnit, syntaxHighlighting } from "@codemirror/language"
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint"
import { searchKeymap } from "@codemirror/search"
import { EditorState, type Extension, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state"
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  gutterLineClass,
  GutterMarker,
  keymap,
  lineNumbers
} from "@codemirror/view"
import { classHighlighter } from "@lezer/highlight"
import { useEffect, useRef } from "preact/hooks"
import { cursorOf, namesFor, proposalsAt, takesPath } from "./completion.ts"
import { mounted, short } from "./dom.tsx"
import type { Lit } from "./Selection.ts"
import type { Session } from "./Session.tsx"
import type { MappingView, SourceLocation, VisitView } from "./Wire.ts"

/** The marks of a file: what a selection lights, and the lines that made something of the visit. */
interface Marks {
  readonly places: ReadonlyArray<SourceLocation>
  readonly over: ReadonlyArray<SourceLocation>
  readonly used: ReadonlySet<number>
}

const setMarks = StateEffect.define<Marks>()

const used = new class extends GutterMarker {
  override elementClass = "used"
}()

const marks = StateField.define<
  { readonly lines: DecorationSet; readonly gutter: ReturnType<RangeSetBuilder<GutterMarker>["finish"]> }
>({
  create: () => ({ lines: Decoration.none, gutter: new RangeSetBuilder<GutterMarker>().finish() }),
  update: (value, { changes, effects, state }) => {
    const latest = effects.flatMap((one) => one.is(setMarks) ? [one.value] : []).at(-1)
    return latest === undefined
      ? { lines: value.lines.map(changes), gutter: value.gutter.map(changes) }
      : drawMarks(state.doc, latest)
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ lines }) => lines),
    gutterLineClass.from(field, ({ gutter }) => gutter)
  ]
})

const drawMarks = (doc: Text, { over, places, used: lines }: Marks) => {
  const isIn = ({ line }: SourceLocation) => line >= 1 && line <= doc.lines
  const decorations = [
    ...over.filter(isIn).map(({ line }) => Decoration.line({ class: "over" }).range(doc.line(line).from)),
    ...places.filter(isIn).flatMap(({ column, endColumn, line }) => {
      const { from, to } = doc.line(line)
      const [start, end] = [Math.min(to, from + column - 1), Math.min(to, from + endColumn - 1)]
      return [
        Decoration.line({ class: "lit" }).range(from),
        ...(end > start && endColumn > column ? [Decoration.mark({ tagName: "mark" }).range(start, end)] : [])
      ]
    })
  ]
  const gutter = new RangeSetBuilder<GutterMarker>()
  for (const line of [...lines].toSorted((a, b) => a - b)) {
    if (line <= doc.lines) gutter.add(doc.line(line).from, doc.line(line).from, used)
  }
  return { lines: Decoration.set(decorations, true), gutter: gutter.finish() }
}

/** The elements of the records in view, for paths. */
const elementsOf = (visit: VisitView | undefined): ReadonlySet<string> =>
  new Set(visit?.records.flatMap(({ lines }) => lines.flatMap(([, key]) => (key.startsWith("[") ? [] : [key]))))

const complete = (session: Session) => (context: CompletionContext): CompletionResult | null => {
  const word = context.matchBefore(/[\w-]*/u)
  if (word === null) return null
  const before = context.state.sliceDoc(0, word.from)
  const cursor = cursorOf(before)
  if (cursor === undefined || session.schema === undefined) return null
  const last = cursor.steps.at(-1) ?? ""
  const names = namesFor(session.mapping?.names, last)
  if (cursor.at === "value" && names !== undefined) {
    return { from: word.from, options: names.map((label) => ({ label, type: "variable" })) }
  }
  const proposals = proposalsAt(session.schema, cursor)
  const options = proposals.map(({ detail, label }) => ({
    label,
    ...(detail === "" ? {} : { info: detail }),
    apply: cursor.at === "key" ? `${label}: ` : label,
    type: cursor.at === "key" ? "property" : "keyword"
  }))
  if (
    options.length === 0 && (cursor.at === "value" || takesPath(session.schema, cursor)) &&
    (word.text !== "" || before.endsWith("."))
  ) {
    const paths = [...elementsOf(session.visit)].map((label) => ({ label, type: "variable" }))
    const functions = (session.mapping?.names.function ?? []).map((label) => ({
      label,
      apply: `${label}(`,
      type: "function"
    }))
    return { from: word.from, options: [...paths, ...functions] }
  }
  if (
    options.length === 0 || (word.text === "" && !context.explicit && cursor.at === "key" && !/[{,]\s*$/u.test(before))
  ) return null
  return { from: word.from, options }
}

/** The file that is open, to be edited if it is the facility's own. It tries the mapping as the user types. */
export const Editor = ({ lit, session }: { readonly session: Session; readonly lit: Lit }) => {
  const holder = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const states = useRef(new Map<string, EditorState>())
  const shown = useRef("")
  const { file, goal, mapping, selected, selection, status, visit } = session
  const text = mapping?.files.find(({ name }) => name === file)

  useEffect(() => {
    const editor = new EditorView({ parent: mounted(holder), extensions: nonce() })
    view.current = editor
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    if (text === undefined) return
    const editor = mounted(view)
    const known = states.current
    if (shown.current !== "" && shown.current !== file) known.set(shown.current, editor.state)
    if (shown.current !== file) {
      editor.setState(known.get(file) ?? newState(session, text))
      shown.current = file
    }
    // A file that was changed outside, or whose edit was undone. Keys may have been pressed since the page was drawn.
    const now = (session.mapping?.files.find(({ name }) => name === file) ?? text).text
    const old = editor.state.doc.toString()
    if (old !== now) {
      let from = 0
      while (from < old.length && from < now.length && old[from] === now[from]) from++
      let tail = 0
      while (tail < old.length - from && tail < now.length - from && old.at(-1 - tail) === now.at(-1 - tail)) tail++
      editor.dispatch({
        changes: { from, to: old.length - tail, insert: now.slice(from, now.length - tail) },
        userEvent: "outside"
      })
    }
  }, [file, text])

  useEffect(() => {
    const editor = mounted(view)
    if (text === undefined || shown.current !== file) return
    const here = (places: ReadonlyArray<SourceLocation>) => places.filter(({ name }) => name === file)
    const usedLines = (visit?.fields ?? []).flatMap(({ at, summary }) => [at, summary?.at ?? null])
      .flatMap((place) => (place?.name === file ? [place.line] : []))
    editor.dispatch({
      effects: setMarks.of({ places: here(lit.places), over: here(lit.over), used: new Set(usedLines) })
    })
    const place = goal?.pane === "mapping"
      ? goal.at
      : !session.follows
      ? undefined
      : here(lit.places)[0]
    if (place === undefined || place.name !== file || place.line > editor.state.doc.lines) return
    const { from } = editor.state.doc.line(place.line)
    editor.dispatch({ effects: EditorView.scrollIntoView(from, { y: "center" }) })
    if (goal?.pane === "mapping") {
      editor.dispatch({ selection: { anchor: from }, userEvent: "outside" })
      editor.focus()
    }
  }, [file, text, visit, selected, selection, goal])

  useEffect(() => {
    const editor = mounted(view)
    if (text === undefined || shown.current !== file) return
    const all = [...status?.mistakes ?? [], ...status?.mistakes.length === 0 ? mapping?.warnings ?? [] : []]
    const { doc } = editor.state
    const diagnostics = all.flatMap(({ at, severity, title }): ReadonlyArray<Diagnostic> => {
      if (at === null || at.name !== file || at.line > doc.lines) return []
      const { from, to } = doc.line(at.line)
      return [{
        from: Math.min(to, from + at.column - 1),
        to: Math.min(to, from + at.endColumn - 1),
        severity,
        message: title
      }]
    })
    editor.dispatch(setDiagnostics(editor.state, diagnostics))
  }, [file, text, status?.mistakes, mapping])

  return <div id="lines" ref={holder}></div>
}

/** Admits the styles of the editor under the page's policy. */
const nonce = (): Extension => EditorView.cspNonce.of(document.querySelector("script")?.nonce ?? "")

const newState = (session: Session, { editable, name, text }: MappingView["files"][number]): EditorState => {
  const own: Extension = editable
    ? [
      history(),
      autocompletion({ override: [complete(session)] }),
      keymap.of([...completionKeymap, ...historyKeymap, indentWithTab]),
      EditorView.updateListener.of(({ docChanged, startState, state, transactions }) => {
        if (!docChanged || transactions.some((one) => one.isUserEvent("outside"))) return
        session.edit(name, state.doc.toString(), startState.doc.toString())
      })
    ]
    : [EditorState.readOnly.of(true), EditorView.contentAttributes.of({ "aria-readonly": "true" })]
  return EditorState.create({
    doc: text,
    extensions: [
      nonce(),
      lineNumbers(),
      lintGutter(),
      drawSelection(),
      yaml(),
      indentUnit.of("  "),
      syntaxHighlighting(classHighlighter),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": `Text of ${short(name)}` }),
      marks,
      own,
      keymap.of([...defaultKeymap, ...searchKeymap]),
      EditorView.updateListener.of(({ selectionSet, state, transactions }) => {
        if (!selectionSet || !transactions.some((one) => one.isUserEvent("select"))) return
        session.select(
          { kind: "line", file: name, line: state.doc.lineAt(state.selection.main.head).number },
          "mapping"
        )
      })
    ]
  })
}
