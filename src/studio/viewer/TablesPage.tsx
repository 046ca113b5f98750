import type { TablesJson } from "./PageData.ts"
import { Marked, Section, Table, TopBar } from "./parts.tsx"
import type { ViewerTexts } from "./texts/texts.ts"

/** The first line of a cell, and the others below it, smaller. */
const Lines = ({ text }: { readonly text: string }) => {
  const [first = "", ...others] = text.split("\n")
  return (
    <>
      <Marked text={first} />
      {others.map((line, at) => (
        <span key={at} class="below">
          <Marked text={line} />
        </span>
      ))}
    </>
  )
}

export const TablesPage = ({ tables: { alert, lead, notes, parts, title }, texts }: {
  readonly tables: TablesJson
  readonly texts: ViewerTexts
}) => {
  const shown = parts.filter(({ rows }) => rows.length > 0)
  return (
    <>
      <TopBar label={texts.navigation} links={shown.map((part) => [part.id, part.title])} />
      <main class="wrap">
        <div class="hero">
          <h1>{title}</h1>
          <p>
            <Marked text={lead} />
          </p>
          {alert === undefined ? null : <p class="values">{alert}</p>}
        </div>
        {shown.map(({ heads, id, note, rows, title: name }) => (
          <Section key={id} id={id} title={name}>
            <div class="labels">
              <Table
                caption={name}
                hideCaption
                heads={heads}
                rows={rows.map((row) =>
                  row.map((cell) => (typeof cell === "string" && cell !== "" ? <Lines text={cell} /> : cell))
                )}
                texts={texts}
              />
            </div>
            {note === undefined ? null : <p class="sub">{note}</p>}
          </Section>
        ))}
        <p class="sub">{notes}</p>
      </main>
    </>
  )
}
