import { useEffect, useRef } from "preact/hooks"
import { number, plural } from "../../../diagnostic/count.ts"
import { Go, mounted, reveal, useRoving } from "./dom.tsx"
import type { Filter, Session } from "./Session.tsx"
import { shownStates } from "./states.ts"
import { Sign } from "./VisitPane.tsx"
import type { VisitLine } from "./Wire.ts"

/** Number of rows that are drawn, around the selected visit. */
const maxRows = 300
/** Maximum of hits that a search shows. */
const maxHits = 12

/** The visits that are found, and what finds them. */
export const VisitsPane = ({ session }: { readonly session: Session }) => {
  const box = useRef<HTMLDivElement>(null)
  const { filter, list, matches, visit } = session
  const at = matches.findIndex(([, { key }]) => key === visit?.key)
  // The selected visit stays in the visible part of the list.
  const from = Math.max(0, Math.min(at - maxRows / 2, matches.length - maxRows))
  useRoving(box, (item) => void session.choose(item.dataset["key"] ?? ""))
  useEffect(() => {
    const item = mounted(box).querySelector<HTMLElement>("[aria-selected=true]")
    if (item !== null) reveal(mounted(box), item)
  }, [visit?.key, matches.length])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") {
      event.preventDefault()
      mounted(box).querySelector<HTMLElement>("[data-item][tabindex='0']")?.focus()
    }
    const [first] = matches
    if (event.key === "Enter" && first !== undefined) void session.choose(first[1].key)
  }
  return (
    <section id="visits" aria-label="Visits" class={session.pane === "visits" ? "" : "away"}>
      <div role="search" aria-label="Find a visit">
        <label for="find">Find a visit</label>
        <input
          id="find"
          type="search"
          placeholder="code, problem, or any value"
          autocomplete="off"
          spellcheck={false}
          value={filter.text}
          onInput={(event) => session.find({ text: event.currentTarget.value })}
          onKeyDown={onKeyDown}
        />
        <label for="state">State</label>
        <select
          id="state"
          value={filter.state}
          // The values are those of the options below.
          onChange={(event) => session.find({ state: event.currentTarget.value as Filter["state"] })}
        >
          <option value="">any state</option>
          {Object.entries(shownStates).map(([state, { sign, word }]) => (
            <option key={state} value={state}>{`${sign} ${word}`}</option>
          ))}
          <option value="changed">changed by the edit</option>
        </select>
        <label for="problem">Problem</label>
        <select
          id="problem"
          value={filter.problem}
          onChange={(event) => session.find({ problem: event.currentTarget.value })}
        >
          <option value="">any problem, or none</option>
          {list.problems.map(({ code, severity, visits }) => (
            <option key={`${severity} ${code}`} value={`${severity} ${code}`}>
              {`${severity === "error" ? "✕" : "!"} ${code} (${number(visits)})`}
            </option>
          ))}
        </select>
      </div>
      <Hits session={session} />
      <div class="steps">
        <button type="button" id="previous" title="Previous visit (p)" onClick={() => session.step(-1)}>
          ‹<span class="hide">Previous visit</span>
        </button>
        <span id="position">
          {at < 0 ? plural(matches.length, "visit") : `${number(at + 1)} of ${number(matches.length)}`}
        </span>
        <button type="button" id="next" title="Next visit (n)" onClick={() => session.step(1)}>
          ›<span class="hide">Next visit</span>
        </button>
      </div>
      <div id="list" role="listbox" aria-label="Visits found" ref={box}>
        {matches.slice(from, from + maxRows).map(([, line]) => (
          <Row key={line.key} line={line} isChosen={line.key === visit?.key} />
        ))}
      </div>
      {matches.length <= maxRows ? null : (
        <p class="dim">
          {`${number(from + 1)} to ${number(from + maxRows)} of ${number(matches.length)}`}
        </p>
      )}
      {matches.length > 0
        ? null
        : <p class="dim">{list.visits.length === 0 ? "No visits yet" : "No visit is like that"}</p>}
      <Outside session={session} />
    </section>
  )
}

const Row = ({ isChosen, line }: { readonly line: VisitLine; readonly isChosen: boolean }) => {
  const { changed, code, count, day, key, state, ward } = line
  return (
    <div role="option" aria-selected={isChosen} tabIndex={-1} data-item data-key={key} class="item">
      {state === null
        ? <span class="dim" role="img" aria-label="not converted yet">·</span>
        : (
          <span class={shownStates[state].tone} role="img" aria-label={shownStates[state].word}>
            {shownStates[state].sign}
          </span>
        )}
      <span class="code">{code ?? key}</span>
      {changed ? <span class="tag" title="Differs from the visit before the edit">changed</span> : null}
      {count === 0 ? null : <span class="count" title={plural(count, "problem")}>{count}</span>}
      <span class="sub">{[day, ward].filter((one) => one !== null).join(" · ") || "no date"}</span>
    </div>
  )
}

/** The problems and values that the searched text finds; each lists its visits. */
const Hits = ({ session }: { readonly session: Session }) => {
  const { filter, hits, list, problemHits } = session
  if (filter.only !== undefined) {
    return (
      <p id="hits" class="only">
        {filter.only.name} <Go to={() => session.find({})}>show all</Go>
      </p>
    )
  }
  const all = [
    ...problemHits.map((hit) => ({
      key: `${hit.severity} ${hit.code}`,
      severity: hit.severity,
      where: "",
      name: hit.code,
      visits: () =>
        list.visits.flatMap(({ problems }, at) => (problems.includes(list.problems.indexOf(hit)) ? [at] : [])),
      count: hit.visits
    })),
    ...hits.map(({ value, visits, where }) => ({
      key: `${where} ${value}`,
      severity: undefined,
      where,
      name: value,
      visits: () => visits,
      count: visits.length
    }))
  ]
  if (all.length === 0) return null
  return (
    <ul id="hits" aria-label="Found">
      {all.slice(0, maxHits).map(({ count, key, name, severity, visits, where }) => (
        <li key={key}>
          <button type="button" class="link" onClick={() => session.show(name, visits())}>
            {severity === undefined ? null : <Sign severity={severity} />} {name}
          </button>
          <span class="dim">{where}</span>
          <span class="count">{number(count)}</span>
        </li>
      ))}
      {all.length > maxHits ? <li class="dim">and {all.length - maxHits} more</li> : null}
    </ul>
  )
}

const Outside = ({ session: { list: { outside } } }: { readonly session: Session }) => {
  if (outside.length === 0) return null
  return (
    <details id="outside">
      <summary>{`Outside visits: ${plural(outside.reduce((sum, one) => sum + one.count, 0), "problem")}`}</summary>
      {outside.slice(0, 50).map(({ count, drawn, title }) => (
        <details key={title}>
          <summary>{count === 1 ? title : `${title} (${number(count)})`}</summary>
          <pre tabIndex={0}>{drawn}</pre>
        </details>
      ))}
    </details>
  )
}
