import type { Owner } from "../../../diagnostic/Problem.ts"
import type { CollatedJson } from "../../../diagnostic/render/renderJson.ts"
import { increment } from "../../../maps.ts"
import { filterLink, Fold, Marked, Section } from "../parts.tsx"
import { attentionTo, countStates, problemTitle } from "../verdict.ts"
import { nextOpen, type PageOf } from "./ReportPage.tsx"

/** A kind of problem that needs an action. */
interface Job {
  readonly problem: CollatedJson
  readonly index: number
}

const maxJobs = 4

/** The problems that block visits, grouped by owner: the owner of most visits first. */
export const Todo = ({ report, texts }: PageOf) => {
  const words = texts.todo
  const ownerOf = (code: string): Owner => report.codes?.[code]?.owner ?? "administrator"
  const jobs = report.problems.flatMap((problem, index): ReadonlyArray<Job> =>
    problem.severity === "error" ? [{ problem, index }] : []
  )
  const owners = Map.groupBy(jobs, ({ problem }) => ownerOf(problem.code))
  const blocked = new Map<Owner, number>()
  for (const { problems, state } of report.visits ?? []) {
    if (attentionTo(state) !== "correction" && attentionTo(state) !== "waiting") continue
    const own = new Set(problems.flatMap((index) => {
      const problem = report.problems[index]
      return problem?.severity === "error" ? [ownerOf(problem.code)] : []
    }))
    for (const owner of own) increment(blocked, owner)
  }
  const sizeOf = (owner: Owner, own: ReadonlyArray<Job>): number =>
    blocked.get(owner) ?? own.reduce((most, { problem }) => Math.max(most, problem.visits), 0)
  const groups = [...owners].map(([owner, own]) => ({
    owner,
    own: own.toSorted((one, other) =>
      other.problem.visits - one.problem.visits || other.problem.count - one.problem.count
    ),
    visits: sizeOf(owner, own)
  })).toSorted((one, other) => other.visits - one.visits || other.own.length - one.own.length)
  const toDecide = (report.assumptions ?? []).filter(({ accepted }) => !accepted).length
  const { correction } = countStates(report)
  return (
    <Section
      id="todo"
      title={groups.length === 0 ? words.nothing : words.title}
      sub={groups.length === 0 ? words.nothingSub : correction === 0 ? undefined : words.sub}
    >
      <ul class="todo">
        {groups.map(({ own, owner, visits }) => (
          <li key={owner}>
            <h3>
              {texts.owners[owner]} <span>{visits === 0 ? "" : words.visits(visits)}</span>
            </h3>
            <Jobs report={report} texts={texts} jobs={own.slice(0, maxJobs)} />
            {own.length <= maxJobs ? null : (
              <Fold title={words.more(own.length - maxJobs)}>
                <Jobs report={report} texts={texts} jobs={own.slice(maxJobs, 50)} />
              </Fold>
            )}
          </li>
        ))}
        {toDecide === 0 ? null : (
          <li>
            <h3>{texts.owners.administrator}</h3>
            <ul>
              <li class="job calm">
                <span class="n">{texts.number(toDecide)}</span>
                <span>
                  <strong>{words.decide(toDecide)}</strong>
                </span>
                <a href="#assumptions">{words.explain}</a>
              </li>
            </ul>
          </li>
        )}
      </ul>
      <Calm report={report} texts={texts} />
    </Section>
  )
}

const Jobs = ({ jobs, report, texts }: PageOf & { readonly jobs: ReadonlyArray<Job> }) => (
  <ul>{jobs.map((job) => <JobRow key={job.index} report={report} texts={texts} {...job} />)}</ul>
)

const JobRow = ({ index, problem, report, texts }: PageOf & Job) => {
  const words = texts.todo
  const { code, count, first, visits } = problem
  const [help = ""] = first.help.split("\n")
  const isListed = (report.visits ?? []).some(({ problems }) => problems.includes(index))
  return (
    <li class="job">
      <span class="n">{texts.number(visits === 0 ? count : visits)}</span>
      <span lang="en">
        <strong>
          <Marked text={problemTitle(report, index)} />
        </strong>{" "}
        <Before report={report} texts={texts} problem={problem} />
        <span class="what">
          <Marked text={help} />
        </span>
      </span>
      <span class="links">
        {isListed ? <a href={filterLink({ problem: String(index) })}>{words.show(visits)}</a> : null}
        {isListed ? " " : visits === 0 ? <span class="dim">{words.records(count)}</span> : null}
        <a href={`#problem-${index + 1}`}>
          {words.explain}
          <span class="hush">{code}</span>
        </a>
      </span>
    </li>
  )
}

/** The visits that the same problem blocked in the run before, where only this kind has its code. */
const Before = ({ problem, report, texts }: PageOf & { readonly problem: CollatedJson }) => {
  const past = (report.runs ?? []).filter(({ startedAt, summary }) =>
    startedAt < report.started && summary !== undefined
  )
  const summary = past.at(-1)?.summary
  const isOnly =
    report.problems.filter(({ code, severity }) => code === problem.code && severity === "error").length === 1
  if (summary === undefined || !isOnly || problem.visits === 0) return null
  const before = summary.blockers.find(([code]) => code === problem.code)?.[1]
  if (before !== undefined) return <span class="tag">{texts.todo.before(before)}</span>
  // the journal keeps twelve codes of a run: a code that is missing from a full list may have been there
  return summary.blockers.length < 12 ? <span class="tag new">{texts.todo.isNew}</span> : null
}

const Calm = ({ report, texts }: PageOf) => {
  const words = texts.todo
  const { left, open } = report.counts
  const isLeft = left > 0 && countStates(report).waiting > 0
  if (open === 0 && !isLeft) return null
  return (
    <p class="calm">
      <strong>{words.calm(open + (isLeft ? left : 0))}</strong> {[
        ...(open === 0 ? [] : [words.calmOpen(open, nextOpen(report, texts))]),
        ...(isLeft ? [words.calmLeft(left)] : [])
      ].join("; ")}.
    </p>
  )
}
