import { useEffect, useReducer, useRef } from "preact/hooks"
import { at } from "../../../at.ts"
import { number, plural } from "../../../diagnostic/count.ts"
import type { ConvertedState } from "../../../submission/status/sendingOutcomes.ts"
import { elementOf } from "../elementOf.tsx"
import { CodesDialog } from "./CodesDialog.tsx"
import { Go, mounted, short } from "./dom.tsx"
import { Editor } from "./Editor.tsx"
import { PlanPane } from "./PlanPane.tsx"
import { followReference, type Lit } from "./Selection.ts"
import { type Pane, panes, type Session } from "./Session.tsx"
import { SourcePane } from "./SourcePane.tsx"
import { shownStates } from "./states.ts"
import { Story } from "./Story.tsx"
import { threads } from "./threads.tsx"
import { VisitPane } from "./VisitPane.tsx"
import { VisitsPane } from "./VisitsPane.tsx"
import type { Mistake } from "./Wire.ts"

const paneNames: Readonly<Record<Pane, string>> = {
  visits: "Visits",
  source: "Records",
  mapping: "Mapping",
  visit: "Visit"
}

const keys = [
  ["/", "find a visit"],
  ["n p", "next and previous visit"],
  ["1 2 3 4", "visits, records, mapping, visit"],
  ["↑ ↓", "move in a pane"],
  ["← →", "close and open a record"],
  ["Enter", "go to what the selected item belongs to"],
  ["Ctrl-Space", "complete a word of the mapping"],
  ["Ctrl-S", "save the edit"],
  ["Esc", "clear the selection"]
] as const

/** Records, mapping and visit side by side, while the mapping is written. */
export const BenchPage = ({ session }: { readonly session: Session }) => {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const svg = useRef<SVGSVGElement>(null)
  const drawThreads = useRef<() => void>(undefined)
  const dialog = useRef<HTMLDialogElement>(null)
  const lit = followReference(session.visit, session.selection)
  useEffect(() => {
    session.changed = () => redraw(undefined)
    session.start()
    drawThreads.current = threads(
      mounted(svg),
      end("records", sourceItems),
      end("lines", () => all("#lines .lit")),
      end("fields", () => all("#fields .lit"))
    )
    document.addEventListener("keydown", (event) => onKey(event, session, mounted(dialog)))
  }, [])
  useEffect(() => {
    // The lit line of another file is shown there.
    const [place] = lit.places
    if (
      place !== undefined && session.follows && place.file >= 0 &&
      place.name !== session.file
    ) {
      session.file = place.name
      redraw(undefined)
    }
  }, [session.selected])
  useEffect(() => drawThreads.current?.())
  const { status } = session
  const isOld = status !== undefined && status.mistakes.length > 0 && status.made > 0
  useEffect(() => {
    document.body.classList.toggle("old", isOld)
    document.body.classList.toggle("has-story", session.selection !== undefined)
  })
  return (
    <>
      <header>
        <h1>Workbench</h1>
        <p id="about">{[status?.facility, status?.mapping].filter((one) => one != null).join(" · ")}</p>
        <Counts session={session} />
        <Edit session={session} />
        {status !== undefined && status.made > 0 ? <CodesDialog isDone={status.phase === "done"} /> : null}
        <p class="notice">Patient data. It stays on this machine.</p>
        <button type="button" id="help" aria-label="Keys" title="Keys (?)" onClick={() => mounted(dialog).showModal()}>
          ?
        </button>
      </header>
      {session.isLost ?
        (
          <p id="lost" class="banner" role="alert">
            The program has ended, or cannot be reached. What you see is no longer kept up to date.
          </p>
        ) :
        null}
      {status?.edited.length === 0 ? <Mistakes session={session} /> : null}
      <nav aria-label="Panes">
        <div id="tabs" role="tablist" aria-label="Panes">
          {panes.map((pane, index) => (
            <button
              key={pane}
              type="button"
              role="tab"
              id={`tab-${pane}`}
              aria-controls={pane}
              aria-selected={session.pane === pane}
              tabIndex={session.pane === pane ? 0 : -1}
              onClick={() => session.open(pane)}
              onKeyDown={(event) => {
                const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? panes.length - 1 : 0
                if (step === 0) return
                event.preventDefault()
                const next = at(panes, (index + step) % panes.length)
                session.open(next)
                elementOf(`tab-${next}`).focus()
              }}
            >
              {paneNames[pane]}
            </button>
          ))}
        </div>
      </nav>
      <main>
        <VisitsPane session={session} />
        <SourcePane session={session} lit={lit} />
        <MappingPane session={session} lit={lit} />
        <VisitPane session={session} lit={lit} />
        <Story session={session} />
        <svg id="threads" aria-hidden="true" ref={svg}></svg>
      </main>
      <PlanPane session={session} />
      <p class="hide" role="status">{session.said}</p>
      <dialog id="keys" aria-labelledby="keys-title" ref={dialog}>
        <h2 id="keys-title">Keys</h2>
        <dl>{keys.flatMap(([key, does]) => [<dt key={key}>{key}</dt>, <dd key={does}>{does}</dd>])}</dl>
        <p>Solid: what became the value. Dotted: what was looked at on the way. Pale: what nothing read.</p>
        <form method="dialog">
          <button>Close</button>
        </form>
      </dialog>
    </>
  )
}

const MappingPane = ({ lit, session }: { readonly session: Session; readonly lit: Lit }) => {
  const { file, mapping } = session
  const { files = [], warnings = [] } = mapping ?? {}
  const open = files.find(({ name }) => name === file)
  return (
    <section id="mapping" aria-label="Mapping" class={session.pane === "mapping" ? "" : "away"}>
      <div class="title">
        <h2>Mapping</h2>
        <label class="hide" for="file">File</label>
        <select
          id="file"
          value={file}
          onChange={(event) => {
            session.file = event.currentTarget.value
            session.deselect("mapping")
          }}
        >
          {files.map(({ editable, name }) => (
            <option key={name} value={name}>{editable ? name : `${name} (read only)`}</option>
          ))}
        </select>
      </div>
      {warnings.length === 0 ? null : (
        <details id="warnings">
          <summary>{plural(warnings.length, "warning")}</summary>
          {warnings.map(({ drawn }, index) => <pre key={index} tabIndex={0}>{drawn}</pre>)}
        </details>
      )}
      {open === undefined || open.editable || files.some(({ editable }) => editable) ?
        null :
        <p class="dim">The facility has no mapping of its own. `fhir2visit init FOLDER` makes one.</p>}
      <Editor session={session} lit={lit} />
      {/* Below the text, so that it does not move while it is written. */}
      {(session.status?.edited.length ?? 0) > 0 ? <Mistakes session={session} /> : null}
    </section>
  )
}

const Edit = ({ session }: { readonly session: Session }) => {
  const { saveProblem, status } = session
  const edited = status?.edited ?? []
  if (edited.length === 0) return null
  return (
    <div id="edit" role="group" aria-label="Edit">
      <span>Edit, not saved</span>
      <button type="button" onClick={() => void session.undo()}>Undo</button>
      <button type="button" class="main" onClick={() => void session.save()}>
        Save {edited.map(short).join(", ")}
      </button>
      {saveProblem === null ? null : <span role="alert" class="bad">{saveProblem}</span>}
    </div>
  )
}

const Counts = ({ session }: { readonly session: Session }) => {
  const { status } = session
  if (status === undefined) return <p id="counts"></p>
  const { before, changed, mapped, mistakes, open, phase, ready, records, rejected, total } = status
  const figure = (state: ConvertedState, from: number | undefined, to: number) => (
    <span class={`figure ${shownStates[state].tone}`}>
      <span class="dim">{shownStates[state].word}</span> {from === undefined || (phase === "done" && from === to)
        ? null
        : <span class="dim">{`${number(from)} → `}</span>}
      <b>{number(to)}</b>
    </span>
  )
  return (
    <>
      <p id="counts">
        {phase === "reading"
          ? mistakes.length > 0 && records === 0 ? "nothing is read yet" : `reading: ${plural(records, "record")}`
          : (
            <>
              {figure("ready", before?.ready, ready)} {figure("rejected", before?.rejected, rejected)}{" "}
              {open === 0 && (before?.open ?? 0) === 0
                ? null
                : <>{figure("open", before?.open, open)}{" "}</>}
              {phase === "mapping"
                ? <span class="dim">{`${number(mapped)} of ${number(total)}`}</span>
                : null}
              {changed === null
                ? null
                : changed === 0
                ? <span class="dim">no visit changed</span>
                : (
                  <Go
                    to={() => {
                      session.pane = "visits"
                      session.find({ text: "", problem: "", state: "changed" })
                    }}
                  >
                    {plural(changed, "visit")} changed
                  </Go>
                )}
            </>
          )}
      </p>
      {phase === "done" || status.made + records === 0 ?
        null :
        (
          <progress
            id="progress"
            aria-label="Progress"
            max={Math.max(1, total)}
            value={phase === "mapping" ? mapped : undefined}
          />
        )}
    </>
  )
}

/** What is wrong with the mapping: the first error in full, because the others often follow from it. */
const Mistakes = ({ session }: { readonly session: Session }) => {
  const { status } = session
  if (status === undefined || status.mistakes.length === 0) return null
  const { edited, made, madeAt, mistakes } = status
  const errors = mistakes.filter(({ severity }) => severity === "error")
  const [first, ...rest] = errors.length > 0 ? errors : mistakes
  return (
    <div id="mistakes" class="banner" role="alert">
      <p>
        <strong>{edited.length > 0 ? "The edited mapping is wrong." : "The mapping on disk is wrong."}</strong>{" "}
        {made === 0
          ? "No visit can be made with it; correct it, and this page continues."
          : `What you see is old: it was made at ${
            new Date(madeAt).toLocaleTimeString("en-GB")
          }, by the mapping that was right.`}
      </p>
      <pre tabIndex={0}>{first?.drawn}</pre>
      {rest.length === 0 ? null : (
        <details>
          <summary>{plural(rest.length, "more error")}, which may follow from it</summary>
          <ul>
            {rest.slice(0, 50).map((one, at) => (
              <li key={at}>
                <MistakeLine mistake={one} session={session} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

const MistakeLine = ({ mistake: { at, title }, session }: { readonly mistake: Mistake; readonly session: Session }) =>
  at === null || at.file < 0
    ? <>{title}</>
    : (
      <>
        <Go to={() => session.go({ pane: "mapping", at })}>{`${short(at.name)}:${at.line}`}</Go> {title}
      </>
    )

const all = (selector: string): ReadonlyArray<HTMLElement> => [...document.querySelectorAll<HTMLElement>(selector)]

const end = (id: string, lit: () => ReadonlyArray<HTMLElement>) => ({ pane: elementOf(id), lit })

/** The lit lines of records, the first of each group. Without any, what was looked at, otherwise the heads of the records. */
const sourceItems = (): ReadonlyArray<HTMLElement> => {
  const found = all("#records .item.lit").filter((item) => !item.previousElementSibling?.classList.contains("lit"))
  if (found.length > 0) return found
  const looked = all("#records .item.looked")
  return looked.length > 0 ? looked : all("#records .has-lit > .head")
}

const onKey = (event: KeyboardEvent, session: Session, dialog: HTMLDialogElement): void => {
  const { altKey, ctrlKey, key, metaKey, target } = event
  if ((ctrlKey || metaKey) && key === "s") {
    event.preventDefault()
    void session.save()
    return
  }
  if (altKey || ctrlKey || metaKey || !(target instanceof Element) || target.closest("input, select") !== null) return
  // The keys of an open dialog are its own, wherever the focus is.
  if (document.querySelector("dialog[open]") !== null) return
  // In the editor letters are text; a file that is only shown has no letters to write.
  if (target.closest(".cm-content:not([aria-readonly])") !== null) return
  /** On a narrow screen the pane is drawn first. */
  const focusOn = (pane: Pane, selector: string) => {
    session.open(pane)
    const focus = () => document.querySelector<HTMLElement>(selector)?.focus()
    if (elementOf(pane).offsetParent === null) setTimeout(focus)
    else focus()
  }
  const acts: Readonly<Record<string, () => void>> = {
    n: () => session.step(1),
    p: () => session.step(-1),
    "/": () => focusOn("visits", "#find"),
    Escape: () => session.deselect(),
    ...Object.fromEntries(panes.map((pane, index) => [
      String(index + 1),
      () => focusOn(pane, `#${pane} :is([data-item][tabindex='0'], .cm-content)`)
    ])),
    "?": () => dialog.showModal()
  }
  const act = acts[key]
  if (act === undefined) return
  event.preventDefault()
  act()
}
