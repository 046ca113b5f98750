import { useEffect, useRef, useState } from "preact/hooks"
import { number, plural } from "../../../diagnostic/count.ts"
import { mounted } from "./dom.tsx"
import { request } from "./Session.tsx"
import type { CodeView, KeptCase } from "./Wire.ts"

/** Maximum of codes that are shown. The others follow as these are filled in. */
const maxShown = 100

/** Fills the code tables: each code without a row, with the values that come nearest. Accepted rows are written at once. */
export const CodesDialog = ({ isDone }: { readonly isDone: boolean }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [codes, setCodes] = useState<ReadonlyArray<CodeView> | undefined>()
  const [problem, setProblem] = useState("")
  const read = async () => setCodes(await request<ReadonlyArray<CodeView>>("codes"))
  useEffect(() => {
    if (isDone && mounted(dialog).open) void read()
  }, [isDone])
  const open = codes?.filter(({ value }) => value === "") ?? []
  const accepted = codes?.filter(({ value }) => value !== "") ?? []
  const accept = async (row: CodeView, value: string) => {
    const { code, display, system, table } = row
    const response = await request<KeptCase>("codes", { code, display, system, table, value })
    setProblem(response === undefined ? "The program did not respond." : "problem" in response ? response.problem : "")
    if (response === undefined) return
    // The program converts all visits again before it no longer counts the code.
    setCodes((codes) =>
      codes?.map((
        one
      ) => (isSameCode(one, row) ? { ...one, value, acceptedBy: value === "" ? "" : "you, just now" } : one))
    )
  }
  return (
    <>
      <button
        type="button"
        id="fill-codes"
        onClick={() => {
          setProblem("")
          mounted(dialog).showModal()
          void read()
        }}
      >
        Code tables
      </button>
      <dialog id="codes" aria-labelledby="codes-title" ref={dialog}>
        <h2 id="codes-title">
          {codes === undefined ? "Codes without a row" : `${plural(open.length, "code")} without a row`}
        </h2>
        <p>
          A proposal is a guess by its words: somebody who knows the codes accepts it. What is accepted is written into
          the facility's code table, with your user name and the day.
        </p>
        {open.some(({ suggestions }) => suggestions.length > 0) || open.length === 0 ? null : (
          <p>
            There is no proposal: <code>fhir2visit codes pull</code> downloads the lists of the service.
          </p>
        )}
        {isDone ? null : <p role="status">All codes are known when all visits are converted.</p>}
        {problem === "" ? null : <p class="bad" role="alert">{problem}</p>}
        <div class="rows" tabIndex={0} role="group" aria-label="Codes">
          <table>
            <thead>
              <tr>
                <th scope="col" class="n">Visits</th>
                <th scope="col">Code</th>
                <th scope="col">Table</th>
                <th scope="col">State</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {[...open.slice(0, maxShown), ...accepted].map((row) => (
                <Row key={`${row.table} ${row.system} ${row.code}`} row={row} accept={accept} />
              ))}
            </tbody>
          </table>
          {open.length > maxShown ? <p class="dim">{number(open.length - maxShown)} more</p> : null}
        </div>
        <form method="dialog">
          <button>Close</button>
        </form>
      </dialog>
    </>
  )
}

const isSameCode = (one: CodeView, other: CodeView): boolean =>
  one.table === other.table && one.system === other.system && one.code === other.code

const Row = ({ accept, row }: {
  readonly row: CodeView
  readonly accept: (row: CodeView, value: string) => Promise<void>
}) => {
  const { acceptedBy, blocked, code, display, suggestions, system, table, value, visits } = row
  const [best] = suggestions
  const [text, setText] = useState(best?.value ?? "")
  const name = display === "" ? code : display
  return (
    <tr>
      <td class="n">
        {visits === 0 ? "" : number(visits)}
        {blocked === 0 ? null : <div class="bad">{number(blocked)} blocked</div>}
      </td>
      <td>
        <code title={system}>{code}</code> {display === code ? "" : display}
      </td>
      <td>
        <code>{table}</code>
      </td>
      <td>
        {value !== ""
          ? (
            <span class="good">
              ✓ accepted{acceptedBy === "" ? "" : <span class="dim">{` by ${acceptedBy}`}</span>}
            </span>
          )
          : best === undefined
          ? <span class="dim">no proposal</span>
          : `proposed, ${Math.round(best.score * 100)} %`}
      </td>
      <td>
        {value !== "" ?
          (
            <>
              <code>{value}</code>{" "}
              <button type="button" aria-label={`Take back ${name}`} onClick={() => void accept(row, "")}>
                Take back
              </button>
            </>
          ) :
          (
            <form
              onSubmit={(event) => {
                event.preventDefault()
                void accept(row, text.trim())
              }}
            >
              <input
                aria-label={`Value of ${name}`}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
              <button class="main" disabled={text.trim() === ""} aria-label={`Accept ${name}`}>Accept</button>
              {suggestions.slice(1).map((one) => (
                <button
                  key={one.value}
                  type="button"
                  class="link"
                  onClick={() => setText(one.value)}
                >
                  {`${one.value} (${Math.round(one.score * 100)} %)`}
                </button>
              ))}
            </form>
          )}
      </td>
    </tr>
  )
}
