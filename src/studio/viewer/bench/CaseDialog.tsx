import { useRef, useState } from "preact/hooks"
import { mounted } from "./dom.tsx"
import { request } from "./Session.tsx"
import type { CaseView, KeptCase } from "./Wire.ts"

/** Saves a visit as a case of the mapping. It shows what will be written, because somebody must look for identities that are left. */
export const CaseDialog = ({ visitKey }: { readonly visitKey: string }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [name, setName] = useState("")
  const [view, setView] = useState<CaseView | undefined>()
  const [kept, setKept] = useState<KeptCase | undefined>()
  const named = name.replaceAll(/[#`\n]/gu, "").trim()
  const open = async () => {
    setKept(undefined)
    setView(undefined)
    mounted(dialog).showModal()
    const of = encodeURIComponent(visitKey)
    setView(await request<CaseView | null>(`case?of=${of}&name=Case`) ?? undefined)
  }
  const keep = async () => {
    const response = await request<KeptCase>("case", { of: visitKey, name: named })
    setKept(response ?? { problem: "The program did not respond." })
  }
  return (
    <>
      <button type="button" id="as-case" onClick={() => void open()}>Save as a case</button>
      <dialog id="case" aria-labelledby="case-title" ref={dialog}>
        <h2 id="case-title">Save this visit as a case</h2>
        <p>
          <code>mapping test</code>{" "}
          runs it from then on. Ids, names and other texts of people are replaced, and times are moved by whole weeks.
          Read it before you save it.
        </p>
        {view === undefined ? <p class="dim">It is being made.</p> : (
          <>
            {view.why === null ? null : <p class="bad" role="alert">{view.why}</p>}
            {view.differing.length === 0 ? null : (
              <p class="dim">
                A replaced text meant something to the mapping. The visit and its case differ in:{" "}
                {view.differing.slice(0, 8).join(", ")}
                {view.differing.length > 8 ? ` and ${view.differing.length - 8} more` : ""}
              </p>
            )}
            <pre
              tabIndex={0}
              aria-label="What is written"
            >{named === "" ? view.text : view.text.replace("## Case\n", `## ${named}\n`)}</pre>
          </>
        )}
        {kept !== undefined && "file" in kept ?
          (
            <p role="status">
              Saved to <code>{kept.file}</code>
            </p>
          ) :
          (
            <p class="ask">
              <label>
                What it shows{" "}
                <input
                  maxLength={100}
                  placeholder="A visit without a discharge time"
                  value={name}
                  onInput={(event) => setName(event.currentTarget.value)}
                />
              </label>
              <button
                type="button"
                class="main"
                disabled={named === "" || view?.why !== null}
                onClick={() => void keep()}
              >
                Save
              </button>
            </p>
          )}
        {kept !== undefined && "problem" in kept ? <p class="bad" role="alert">{kept.problem}</p> : null}
        <form method="dialog">
          <button>Close</button>
        </form>
      </dialog>
    </>
  )
}
