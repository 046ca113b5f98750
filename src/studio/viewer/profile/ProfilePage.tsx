import { useState } from "preact/hooks"
import { Bar, type Cell, Fold, Marked, Section, Table, TopBar } from "../parts.tsx"
import type { ViewerTexts } from "../texts/texts.ts"
import { CodesSection, IdentifiersSection } from "./Codes.tsx"
import { Graph } from "./Graph.tsx"
import { counted, frequencyList, type ProfileOf, typeOfElement } from "./ProfileOf.ts"

/** Summarizes in a sentence what the export can become, and what prevents it. */
export const profileVerdict = (
  { profile, texts }: ProfileOf
): { readonly headline: string; readonly rest: ReadonlyArray<string> } => {
  const { encounters, records, suggestions: { notes, questions = [], substitutes }, tables, unreadable } = profile
  const possible = encounters.records - encounters.notVisits
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const headline = records + rows === 0
    ? "Nothing was found in this export."
    : encounters.records > 0
    ? `${counted(texts, possible, "encounter")} can become ${possible === 1 ? "a visit" : "visits"}.`
    : rows > 0
    ? `${counted(texts, rows, "row")} in ${counted(texts, tables.length, "table")}.`
    : `${counted(texts, records, "record")}, and no encounter among them.`
  return {
    headline,
    rest: [
      ...(substitutes.length === 0 ? [] : [`${counted(texts, substitutes.length, "field")} without any value`]),
      ...(questions.length === 0 ? [] : [`${counted(texts, questions.length, "question")} to answer`]),
      ...(notes.length === 0 ? [] : [`${counted(texts, notes.length, "thing")} that no mapping can help with`]),
      ...(unreadable === 0 ? [] : [`${counted(texts, unreadable, "record")} cannot be read`])
    ]
  }
}

/** Shows the content of an export to the authors of its mapping. It contains no record values. */
export const ProfilePage = (of: ProfileOf) => {
  const { profile, texts } = of
  const { headline, rest } = profileVerdict(of)
  const n = texts.number
  const { again, files, records, tables, unreadable } = profile
  const facts = [
    ...(records > 0 || tables.length === 0
      ? [`${counted(texts, records, "record")} in ${counted(texts, files, "file")}`]
      : []),
    ...(tables.length > 0 ? [counted(texts, tables.length, "table")] : []),
    ...(unreadable > 0 ? [`${n(unreadable)} unreadable`] : []),
    ...(again.same > 0 ? [counted(texts, again.same, "copy", "copies")] : []),
    ...(again.older > 0
      ? [`${counted(texts, again.older, "older version of a record", "older versions of records")}, not counted below`]
      : []),
    ...(again.changed > 0
      ? [counted(texts, again.changed, "other version of a record", "other versions of a record")]
      : [])
  ]
  const sections: ReadonlyArray<readonly [id: string, name: string, body: ReturnType<typeof Section> | null]> = [
    ["mapping", "Mapping", <Proposals {...of} />],
    ["graph", "Links", <Links {...of} />],
    ["tables", "Tables", tables.length === 0 ? null : <Tables {...of} />],
    ["types", "Elements", profile.types.length === 0 ? null : <Types {...of} />],
    ["encounters", "Encounters", profile.encounters.records === 0 ? null : <Encounters {...of} />],
    ["identifiers", "Identifiers", profile.identifiers.length === 0 ? null : <IdentifiersSection {...of} />],
    ["codes", "Codes", profile.codes.length === 0 ? null : <CodesSection {...of} />],
    ["dates", "Dates", profile.dates.forms.length === 0 ? null : <Dates {...of} />],
    ["scripts", "Scripts", profile.scripts.length === 0 ? null : <Scripts {...of} />],
    ["problems", "Unreadable", profile.problems.length === 0 ? null : <Unreadable {...of} />]
  ]
  const shown = sections.filter(([, , body]) => body !== null)
  return (
    <>
      <a class="skip" href="#mapping">Skip to the proposals</a>
      <TopBar title="What is in the data" label="Sections" links={shown} />
      <main class="wrap">
        <div class="hero">
          <p class="when">{facts.join(", ")}</p>
          <h1>
            {headline}
            {rest.length === 0 ? null : <span class="rest">{rest.join(", ")}.</span>}
          </h1>
        </div>
        {shown.map(([, , body]) => body)}
        <p class="sub foot">
          Values of records are not in this page. Of codes it has those that several people have, or that are of a
          shared system.
        </p>
      </main>
    </>
  )
}

/** Copies a text; without a clipboard API, copies it through a selection. */
const copy = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = document.createElement("textarea")
    area.value = text
    document.body.append(area)
    area.select()
    document.execCommand("copy")
    area.remove()
  }
}

const Copy = (
  { children, label, text }: { readonly text: string; readonly label: string; readonly children: string }
) => {
  const [done, setDone] = useState(false)
  return (
    <button
      type="button"
      class="button copy"
      aria-label={label}
      onClick={() => void copy(text).then(() => setDone(true))}
    >
      {done ? "copied" : children}
    </button>
  )
}

/** The suggested lines, each with a copy button. */
const Proposals = ({ overlay, profile, texts }: ProfileOf) => {
  const { notes, questions = [], substitutes } = profile.suggestions
  const lines = overlay === "" ? [] : overlay.trimEnd().split("\n")
  return (
    <Section
      key="mapping"
      id="mapping"
      title={lines.length === 0 ? "The mapping lacks nothing" : "Lines for a mapping of the facility"}
      sub={questions.length === 0
        ? undefined
        : `Lines marked QUESTION are guesses. Answer ${
          counted(texts, questions.length, "question")
        } before anything is sent.`}
    >
      {lines.length === 0 ? null : (
        <>
          <p class="more">
            <Copy text={overlay} label="Copy all lines">Copy all</Copy>
          </p>
          <ol class="lines" tabIndex={0} aria-label="Suggested lines">
            {lines.map((line, at) => (
              <li key={at}>
                <code class={/^\s*#/u.test(line) ? "dim" : undefined}>{line === "" ? " " : line}</code>
                {line.trim() === "" || /^\s*#/u.test(line)
                  ? null
                  : <Copy text={line} label={`Copy line ${at + 1}`}>Copy</Copy>}
              </li>
            ))}
          </ol>
        </>
      )}
      {substitutes.length === 0 ? null : (
        <p class="values">
          This data never has a value for {substitutes.map((field, at) => (
            <span key={field}>
              {at === 0 ? "" : ", "}
              <code>{field}</code>
            </span>
          ))}. Decide about each before anything is sent.
        </p>
      )}
      {notes.length === 0 ? null : (
        <>
          <h3>What no mapping can help with</h3>
          <ul class="plain">
            {notes.map((note) => (
              <li key={note}>
                <Marked text={note} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

const Share = ({ share, texts }: { readonly share: number; readonly texts: ViewerTexts }) => (
  <span class="share">
    <Bar thin label={texts.percent(share, 1)} parts={[["used", share], ["unused", 1 - share]]} />{" "}
    {texts.percent(share, 1)}
  </span>
)

const shortName = (file: string): string => file.slice(file.lastIndexOf("/") + 1)

/** Keys and links, as a graph and as a table. */
const Links = ({ profile, texts }: ProfileOf) => {
  const { links, references: { elements, overflown }, tables } = profile
  const edges = [
    ...tables.flatMap(({ links, name }) =>
      links.map(({ column, orphans, table }) => ({ from: name, to: table, label: column, isWeak: orphans > 0 }))
    ),
    ...elements.flatMap(({ element, resolved, targets, unresolved }) =>
      targets.slice(0, 3).map(([to]) => ({
        from: typeOfElement(element),
        to,
        label: element,
        isWeak: unresolved > resolved
      }))
    )
  ]
  const lost = elements.filter(({ unresolved }) => unresolved > 0).length +
    tables.flatMap((one) => one.links).filter(({ orphans }) => orphans > 0).length
  return (
    <Section
      key="graph"
      id="graph"
      title={edges.length === 0
        ? "No links were found"
        : lost === 0
        ? "All links lead to records of the input"
        : `${counted(texts, lost, "link")} ${lost === 1 ? "leads" : "lead"} out of the input`}
      sub="A dashed line is a link whose records are partly missing."
    >
      {edges.length === 0 ? null : <Graph edges={edges} />}
      {elements.length === 0 ? null : (
        <Fold title="References by element">
          <Table
            texts={texts}
            caption="References by element, and whether their targets are in the input"
            heads={["Element", "In the input", "Not in it", "Not followed", "Targets"]}
            rows={elements.map(({ element, notFollowed, resolved, targets, unresolved }) => [
              <code>{element}</code>,
              resolved,
              unresolved,
              notFollowed,
              frequencyList(texts, targets)
            ])}
          />
          {overflown ? <p class="values">There are more references than are looked up.</p> : null}
        </Fold>
      )}
      {links.length === 0 ? null : (
        <Fold title="How records reach an encounter">
          <Table
            texts={texts}
            caption="Records by how they reach an encounter"
            heads={[
              "Type",
              "Records",
              "By an element",
              "Through others",
              "By their document",
              "By nothing",
              "With patient and time"
            ]}
            rows={links.map((one) => [
              one.type,
              one.records,
              <>
                {one.paths.map(({ found, path, records }) => (
                  <div key={path}>
                    <code>{path}</code> {texts.number(records)}
                    {found < records ? ` (${texts.number(records - found)} not in the input)` : ""}
                  </div>
                ))}
              </>,
              frequencyList(texts, one.namedBy),
              one.inDocument,
              one.none,
              one.withPatientAndTime
            ])}
          />
        </Fold>
      )}
    </Section>
  )
}

const Tables = ({ profile, texts }: ProfileOf) => (
  <Section
    key="tables"
    id="tables"
    title={counted(texts, profile.tables.length, "table")}
    sub="Keys, links, and what each column contains."
  >
    {profile.tables.map((one, at) => (
      <Fold
        key={one.file}
        open={profile.tables.length <= 4}
        title={
          <>
            <strong>{shortName(one.file)}</strong> <span class="dim">{counted(texts, one.rows, "row")}</span>
          </>
        }
      >
        <p class="sub" id={`table-${at + 1}`}>
          {[
            `${one.delimiter}, ${one.encoding}${one.guessed ? " (a guess)" : ""}`,
            ...(one.declared ? [`the mapping reads it as ${one.name}`] : []),
            one.keys.length > 0
              ? `key: ${one.keys.slice(0, 3).join(", or ")}`
              : one.pair === undefined
              ? "no column is a key"
              : `key: ${one.pair.join(" and ")} together`
          ].join(", ")}
        </p>
        {one.links.length === 0
          ? null
          : <ul class="plain">{one.leads.map((text) => <li key={text}>{text}</li>)}</ul>}
        <Table
          texts={texts}
          caption={`Columns of ${one.file}`}
          hideCaption
          heads={["Column", "Filled", "Holds", "What was seen", "Codes of several people"]}
          rows={one.columns.map((column, index) => [
            <code>{column.name}</code>,
            <Share share={column.share} texts={texts} />,
            column.kind,
            <>{one.seen[index]?.map((line) => <div key={line}>{line}</div>)}</>,
            `${frequencyList(texts, column.codes)}${
              column.withheld > 0 ? ` ${texts.number(column.withheld)} not shown` : ""
            }`
          ])}
        />
      </Fold>
    ))}
  </Section>
)

const Types = ({ profile, texts }: ProfileOf) => (
  <Section key="types" id="types" title="What fills how much" sub="Elements by the share of records that have them.">
    {profile.types.map(({ elements, records, type, withheld }) => (
      <Fold
        key={type}
        title={
          <>
            <strong>{type}</strong> <span class="dim">{counted(texts, records, "record")}</span>
          </>
        }
      >
        <Table
          texts={texts}
          caption={`Elements of ${type}`}
          hideCaption
          heads={["Element", "Records", "Share"]}
          rows={elements.map(({ path, records, share, unknown }): ReadonlyArray<Cell> => [
            <>
              <code>{path}</code>
              {unknown === true ? <span class="correction">not of R4</span> : null}
            </>,
            records,
            <Share share={share} texts={texts} />
          ])}
        />
        {withheld > 0 ? <p class="sub">{counted(texts, withheld, "element")} not named: few people have it.</p> : null}
      </Fold>
    ))}
  </Section>
)

const Encounters = ({ profile: { encounters: of }, texts }: ProfileOf) => (
  <Section
    key="encounters"
    id="encounters"
    title={`${counted(texts, of.notVisits, "encounter")} planned, cancelled or entered in error`}
  >
    <Table
      texts={texts}
      caption="Encounters by what they are, and by what they lack"
      heads={["What they are", "Encounters"]}
      rows={[
        ["all", of.records],
        ["planned, cancelled or entered in error", of.notVisits],
        ["part of another", of.members],
        ...(of.members === 0 ? [] : [["levels of partOf", of.depth]]),
        ...(of.inCircle === 0 ? [] : [["partOf leads into a circle", of.inCircle]]),
        ["part of one that is not in the input", of.parentsMissing],
        ["without a start", of.noStart],
        ["finished", of.finished],
        ["finished without an end", of.finishedWithoutEnd],
        ["without a class", of.noClass],
        ["starting when another of the same patient starts", of.sameStart]
      ]}
    />
  </Section>
)

const Dates = ({ profile: { dates: { elements, forms, offsets } }, texts }: ProfileOf) => (
  <Section
    key="dates"
    id="dates"
    title="Dates"
    sub={`${frequencyList(texts, forms)}${offsets.length === 0 ? "" : `; offsets: ${frequencyList(texts, offsets)}`}`}
  >
    <Fold title="By element">
      <Table
        texts={texts}
        caption="Forms of dates by element"
        heads={["Element", "Forms"]}
        rows={elements.map(({ element, forms }) => [<code>{element}</code>, frequencyList(texts, forms)])}
      />
    </Fold>
  </Section>
)

const Scripts = ({ profile: { scripts, unseenSigns }, texts }: ProfileOf) => (
  <Section key="scripts" id="scripts" title="Languages and scripts">
    <Table
      texts={texts}
      caption="Scripts by element"
      heads={["Where", "Scripts"]}
      rows={scripts.map(({ place, scripts }) => [place, frequencyList(texts, scripts)])}
    />
    {unseenSigns > 0
      ? <p class="sub">{counted(texts, unseenSigns, "text")} with invisible characters, such as zero-width spaces.</p>
      : null}
  </Section>
)

const Unreadable = ({ profile, texts }: ProfileOf) => (
  <Section key="problems" id="problems" title="What could not be read">
    <Table
      texts={texts}
      caption="What could not be read, and how often"
      heads={["Problem", "Count"]}
      rows={profile.problems.map(({ code, count, message }) => [
        <>
          <code>{code}</code> <Marked text={message} />
        </>,
        count
      ])}
    />
  </Section>
)
