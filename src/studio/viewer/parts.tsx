import type { ComponentChild, ComponentChildren } from "preact"
import type { Attention } from "../../submission/status/sendingOutcomes.ts"
import type { ViewerTexts } from "./texts/texts.ts"

/** Renders words in backticks as names. */
export const Marked = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)

export const Section = ({ children, id, sub, title }: {
  readonly id: string
  readonly title: ComponentChildren
  readonly sub?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="card" id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
    <h2 id={`${id}-title`}>{title}</h2>
    {sub === undefined ? null : <p class="sub">{sub}</p>}
    {children}
  </section>
)

/** The bar at the top of a page, with links to its sections. */
export const TopBar = ({ label, links, title }: {
  readonly title?: string
  /** The name of the links as a group, for a screen reader. */
  readonly label: string
  readonly links: ReadonlyArray<readonly [id: string, name: string, ...others: ReadonlyArray<unknown>]>
}) => (
  <header class="top">
    <div class="wrap">
      {title === undefined ? null : <strong>{title}</strong>}
      <nav aria-label={label} tabIndex={0}>
        {links.map(([id, name]) => <a key={id} href={`#${id}`}>{name}</a>)}
      </nav>
    </div>
  </header>
)

/** FactList by their names; an empty one is left out. */
export const FactList = ({ rows }: { readonly rows: ReadonlyArray<readonly [name: string, body: Cell]> }) => (
  <dl>
    {rows.flatMap(([name, body], at) => (body ? [<dt key={`${at}`}>{name}</dt>, <dd key={`${at}d`}>{body}</dd>] : []))}
  </dl>
)

/** Folded until the reader expands it; expanded in print. */
export const Fold = ({ children, open = false, title }: {
  readonly title: ComponentChildren
  readonly open?: boolean
  readonly children: ComponentChildren
}) => (
  <details open={open}>
    <summary>{title}</summary>
    {children}
  </details>
)

type Tone = Attention | "used" | "unused"

/** One bar, divided into its parts. The labels are next to it. */
export const Bar = ({ label, parts, thin = false }: {
  readonly label: string
  readonly parts: ReadonlyArray<readonly [tone: Tone, count: number]>
  readonly thin?: boolean
}) => {
  const all = parts.reduce((sum, [, count]) => sum + count, 0)
  let at = 0
  return (
    <svg
      class={thin ? "bar thin" : "bar"}
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {parts.flatMap(([tone, count]) => {
        if (count === 0) return []
        // A part that is not empty stays visible, however small it is.
        const width = Math.max(4, (count / all) * 1000)
        const x = Math.min(at, 1000 - width)
        at += (count / all) * 1000
        return [
          <rect
            key={tone}
            class={`f-${tone}`}
            x={x.toFixed(1)}
            y="0"
            width={Math.max(1, width - 2).toFixed(1)}
            height="10"
          />
        ]
      })}
    </svg>
  )
}

/** A state, shown by its own shape, colour and word. */
export const Mark = ({ children, tone }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`state s-${tone}`}>{children}</span>
)

export type Cell = ComponentChild

/** A table; numbers are on the right. On a narrow screen each row is a card, with the heads before its cells. */
export const Table = ({ caption, hideCaption = false, heads, rows, texts }: {
  readonly caption: string
  readonly hideCaption?: boolean
  readonly heads: ReadonlyArray<ComponentChild>
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
  readonly texts: ViewerTexts
}) => (
  <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
    <table role="table">
      <caption class={hideCaption ? "hush" : undefined}>{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {heads.map((head, at) => (
            <th key={at} scope="col" role="columnheader" class={typeof rows[0]?.[at] === "number" ? "n" : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, index) => (
          <tr key={index} role="row">
            {row.map((cell, at) => (
              <td key={at} role="cell" data-head={String(heads[at])} class={typeof cell === "number" ? "n" : undefined}>
                {typeof cell === "number" ? texts.number(cell) : cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Offers a file that the page itself creates for download. */
export const save = (name: string, type: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** A cell of a CSV file. A spreadsheet takes a text that begins with one of these signs for a formula: it gets a `'` before it. */
export const csvCell = (text: string): string => (/^[=+\-@\t\r]/u.test(text) ? `'${text}` : text)

/** A link target in the page, with the state to show there: `#visits?state=open`. */
export const filterLink = (filter: Readonly<Record<string, string>>): string =>
  `#visits?${new URLSearchParams(filter).toString()}`
