import { number, plural } from "../../../diagnostic/count.ts"
import { Go } from "./dom.tsx"
import type { Session } from "./Session.tsx"
import type { FieldChange } from "./Wire.ts"

/** What the edit changes over all visits, field by field. */
export const PlanPane = ({ session }: { readonly session: Session }) => {
  const { plan, status } = session
  if (plan === undefined || status === undefined) return null
  const { appeared, becameReady, becameRejected, fields, gone, problems, same } = plan
  const isSaved = status.edited.length === 0
  if (isSaved && fields.length + problems.length + gone + appeared === 0) return null
  const others = [
    becameReady > 0 ? `${plural(becameReady, "visit")} become ready` : "",
    becameRejected > 0 ? `${plural(becameRejected, "visit")} become rejected` : "",
    appeared > 0 ? `${plural(appeared, "visit")} more` : "",
    gone > 0 ? `${plural(gone, "visit")} no longer made` : "",
    `${plural(same, "visit")} the same, byte for byte`
  ].filter((one) => one !== "")
  return (
    <section id="plan" aria-label="Plan" tabIndex={0}>
      <h2>{isSaved ? "What the last change did" : "What the edit changes"}</h2>
      <p class="dim">{others.join(" · ")}</p>
      {fields.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col" class="n">Visits</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
              <th scope="col">What it does</th>
            </tr>
          </thead>
          <tbody>{fields.map((one) => <Row key={one.field} change={one} session={session} />)}</tbody>
        </table>
      )}
      {problems.length === 0 ? null : (
        <ul class="problems">
          {problems.map(({ after, before, code, severity }) => (
            <li key={`${severity} ${code}`}>
              <span class={severity}>{severity === "error" ? "✕" : "!"}</span> {code}{" "}
              <span class="dim">{`${number(before)} → `}</span>
              {number(after)} visits
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const Row = ({ change, session }: { readonly change: FieldChange; readonly session: Session }) => {
  const { becameReady, becameRejected, examples, field, visits } = change
  const lines = (pick: (example: FieldChange["examples"][number]) => string | null) =>
    examples.slice(0, 3).map((example, at) => (
      <div key={at}>
        {pick(example) === null ? <span class="dim">nothing</span> : <code>{pick(example)}</code>}
        {examples.length > 1 && example.visits > 1
          ? <span class="dim">{` ${number(example.visits)} times`}</span>
          : null}
      </div>
    ))
  return (
    <tr>
      <td>
        <code>{field}</code>
      </td>
      <td class="n">
        <Go to={() => session.show(`${field} changes`, visits)}>{number(visits.length)}</Go>
      </td>
      <td>{lines(({ before }) => before)}</td>
      <td>{lines(({ after }) => after)}</td>
      <td>
        {becameReady > 0 ? <div class="good">{number(becameReady)} become ready</div> : null}
        {becameRejected > 0 ? <div class="bad">{number(becameRejected)} become rejected</div> : null}
      </td>
    </tr>
  )
}
