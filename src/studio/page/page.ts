import { number as usualNumber } from "../../diagnostic/count.ts"
import { printable } from "../../diagnostic/printable.ts"

/** The content of a page; all texts except the title are already HTML. */
interface HtmlPage {
  /** BCP 47. */
  readonly language: string
  readonly title: string
  readonly lead: string
  /** The label of the list of sections, for screen readers. */
  readonly navigation: string
  /** Each section: its anchor, its short name in the list of sections, and its HTML. An empty section is in neither place. */
  readonly parts: ReadonlyArray<readonly [id: string, name: string, body: string]>
  readonly footer: string
}

/** Returns a self-contained page: no network, no script. It supports light mode, dark mode and printing. */
export const page = ({ footer, language, lead, navigation, parts, title }: HtmlPage): string => {
  const shown = parts.filter(([, , body]) => body !== "")
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${html(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${html(title)}</h1>
<p class="lead">${lead}</p>
<nav aria-label="${navigation}">${shown.map(([id, name]) => `<a href="#${id}">${name}</a>`).join("")}</nav>
${shown.map(([, , body]) => body).join("\n")}
<footer>${footer}</footer>
</main>
</body>
</html>
`
}

const style = `
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#57606a;--line:#d0d7de;--paper:#fff;--tint:#f6f8fa;--bar:#2f6fb0;--warn:#9a4b00;--good:#1a7f37;--bad:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--paper:#0d1117;--tint:#151b23;--bar:#5aa2e6;--warn:#e3a35c;--good:#4ac26b;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;overflow-wrap:anywhere;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:72rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2.5rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}h3{font-size:1rem;margin:1rem 0 .25rem}
.lead,.dim,footer{color:var(--dim)}footer{margin-top:3rem;font-size:.875rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:1rem 0}a{color:var(--bar)}
.word{white-space:nowrap}.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--dim);padding:.25rem 0}
th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}td code,td a{overflow-wrap:anywhere}
th{font-weight:600;vertical-align:bottom}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;padding-right:1.5rem}td.n{white-space:nowrap}
@media screen and (max-width:40rem){.list thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}.list,.list tbody,.list caption{display:block}.list tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}.list td,.list td.n{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:.75rem;border:0;padding:.1rem 0;text-align:left;white-space:normal;overflow-wrap:anywhere}.list td:empty{display:none}.list td::before{content:attr(data-head);color:var(--dim)}
.list td:first-child{font-weight:600}.list td:first-child::before{font-weight:400}.compact th,.compact td,.compact td.n{padding-right:.5rem;font-size:.85rem;overflow-wrap:anywhere}.compact th{font-size:.8rem}.compact th,.compact td:not(:first-child){overflow-wrap:normal}.compact td:not(:first-child){white-space:nowrap}.list .word{white-space:normal}.compact meter{display:none}}
code,pre{font:.875rem/1.45 ui-monospace,monospace}pre{background:var(--tint);border:1px solid var(--line);border-radius:6px;padding:1rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
@media screen{.long{max-height:32rem;overflow:auto;white-space:pre}}details{margin:.25rem 0}summary{cursor:pointer}summary h3{display:inline}summary:focus-visible,a:focus-visible,pre:focus-visible{outline:2px solid var(--bar);outline-offset:2px}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr));gap:1rem;margin:1rem 0}.figure{border:1px solid var(--line);border-radius:6px;padding:1rem;break-inside:avoid}.figure h3{margin:0}.figure strong{display:block;font-size:2.25rem;line-height:1.2}.figure p{margin:.25rem 0}
figure{margin:1rem 0}figcaption{color:var(--dim);font-size:.9rem}svg{display:block;width:100%}svg text{fill:var(--ink);font-size:14px}svg a text{text-decoration:underline}
.b{fill:var(--bar);stroke:var(--bar)}.g{fill:var(--good);stroke:var(--good)}.o{fill:var(--dim);stroke:var(--dim)}.w{fill:var(--warn);stroke:var(--warn)}.x{fill:var(--bad);stroke:var(--bad)}.band{opacity:.12;stroke:none}
article{border-top:1px solid var(--line);padding:.5rem 0;break-inside:avoid}article h3{margin:.25rem 0}:target{outline:2px solid var(--bar);outline-offset:4px}dl{display:grid;grid-template-columns:minmax(5.5rem,max-content) 1fr;gap:.1rem 1rem;margin:.5rem 0;font-size:.9rem}dt{color:var(--dim)}dd{margin:0}.bad{color:var(--bad)}
meter{width:6rem;height:.7rem;vertical-align:middle}.share{white-space:nowrap;font-variant-numeric:tabular-nums}.figure meter{display:block;width:100%}.soft{opacity:.3;stroke:none}.scroll+.scroll{margin-top:1.25rem}.scroll+details{margin-top:.75rem}.inside{padding-left:1.25rem}.warn{color:var(--warn)}
@media print{:root{color-scheme:light;--ink:#000;--dim:#444;--line:#999;--paper:#fff;--tint:#fff;--bar:#2f6fb0;--warn:#9a4b00;--good:#1a7f37;--bad:#b42318}nav{display:none}svg,meter{print-color-adjust:exact}tr,h2,h3{break-inside:avoid;break-after:auto}h2,h3,caption{break-after:avoid}:root{font-size:10pt}body{font-size:1rem}main{max-width:none;padding:0}a{text-decoration-thickness:.5px}td,th,td.n,th.n{padding-right:.6rem}.many{font-size:.75rem}.many td,.many th,.many td.n,.many th.n{padding-right:.4rem}.many meter{display:none}.unfold:not([open])::details-content{content-visibility:visible;block-size:auto}}@page{margin:15mm}
`

/** Escapes a text for use in a page, including attributes. */
export const html = (text: string): string =>
  printable(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

export const section = (id: string, title: string, body: string): string =>
  body === "" ? "" : `<section id="${id}"><h2>${title}</h2>${body}</section>`

/**
 * Returns a table. Numbers are right-aligned, and texts are already HTML. On a narrow screen each row becomes a list: each cell is on its
 * own line, after its header. The ARIA roles keep it a table for screen readers.
 */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
  caption?: string,
  { compact = false, ids, number = usualNumber }: {
    /** The table is short enough to stay a table on a narrow screen. */
    readonly compact?: boolean
    readonly number?: (count: number) => string
    /** Anchors of the rows. */
    readonly ids?: ReadonlyArray<string>
  } = {}
): string => {
  if (rows.length === 0) return ""
  const inside = (of: string | number): string =>
    typeof of === "number" ? number(of) : of === "" ? "" : `<div>${of}</div>`
  const cell = (of: string | number, at: number): string =>
    `<td role="cell" data-head="${heads[at]}"${typeof of === "string" ? "" : " class=\"n\""}>${inside(of)}</td>`
  return `<div class="scroll"><table role="table" class="${
    compact ? "compact" : heads.length > 7 ? "list many" : "list"
  }">${caption === undefined ? "" : `<caption>${caption}</caption>`}<thead role="rowgroup"><tr role="row">${
    heads.map((head, at) =>
      `<th scope="col" role="columnheader"${typeof rows[0]![at] === "string" ? "" : " class=\"n\""}>${head}</th>`
    ).join("")
  }</tr></thead><tbody role="rowgroup">${
    rows.map((row, at) =>
      `<tr role="row"${ids?.[at] === undefined ? "" : ` id="${html(ids[at])}"`}>${row.map(cell).join("")}</tr>`
    ).join("")
  }</tbody></table></div>`
}
