import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { printable } from "../../diagnostic/render/printable.ts"
import type { PageData } from "./PageData.ts"
import { style } from "./style.ts"
import { textsOf } from "./texts/texts.ts"

/** The build output of the viewer: the page writer, and the script that is embedded in the page. */
interface Viewer {
  readonly renderPage: (data: PageData) => { readonly title: string; readonly body: string }
  readonly script: string
}

/** The entry points of the viewer, and their file names next to the built program. */
const viewerFiles = {
  "viewer-node": "node.tsx",
  "viewer-page": "browser.tsx",
  "viewer-bench": "bench/bench.tsx"
} as const

/** Returns a bundle of the viewer: the file next to the shipped program, or one that is built from the sources. */
const bundled = async (name: keyof typeof viewerFiles): Promise<string> => {
  const folder = import.meta.dirname
  if (!import.meta.filename.endsWith(".ts")) return readFile(join(folder, `${name}.mjs`), "utf8")
  // A development dependency, which is loaded by its name so that the shipped program does not include it.
  const builder = "rolldown"
  // The type is that of the module with this name.
  const { build } = await import(builder) as typeof import("rolldown")
  const { output } = await build({
    input: join(folder, viewerFiles[name]),
    platform: "browser",
    write: false,
    transform: { jsx: { runtime: "automatic", importSource: "preact" } },
    output: { format: "esm", minify: true }
  })
  return output[0].code
}

/** Returns the script of the workbench's page. */
export const benchScript = (): Promise<string> => bundled("viewer-bench")

/** Loads the viewer. From the sources it is built on first use; the shipped program has it next to it. */
const loadViewer = async (): Promise<Viewer> => {
  const [node, script] = [await bundled("viewer-node"), await bundled("viewer-page")]
  const { href } = new URL(`data:text/javascript,${encodeURIComponent(node)}`)
  // The bundle exports what its entry point, `node.tsx`, exports.
  const { renderPage } = await import(href) as Pick<Viewer, "renderPage">
  return { renderPage, script }
}

let viewer: Promise<Viewer> | undefined

/** Data of up to this size (bytes of JSON) is embedded as JSON; larger data as gzip. */
const plainLimit = 1_000_000

/** Returns a page as one self-contained file: no network, and readable without scripts. */
export const writePage = async (data: PageData): Promise<string> => {
  viewer ??= loadViewer()
  const { renderPage, script } = await viewer
  // Escapes direction controls, so that no text of the data can change the writing direction.
  const json = JSON.stringify(data, (_, value: unknown) => typeof value === "string" ? visible(value) : value)
  // The JSON is that of `data`, with some signs in its texts escaped.
  const { body, title } = renderPage(JSON.parse(json) as PageData)
  const holder = json.length <= plainLimit
    ? `<script type="application/json" id="data">${json.replaceAll("<", "\\u003c")}</script>`
    : `<script type="application/gzip" id="data">${gzipSync(json, { level: 9 }).toString("base64")}</script>`
  return `<!doctype html>
<html lang="${textsOf(data.language).language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hashOf(script)}; style-src ${
    hashOf(style)
  }; base-uri 'none'; form-action 'none'">
<title>${title.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</title>
<style>${style}</style>
</head>
<body>
<div id="page">${body}</div>
${holder}
<script type="module">${script}</script>
</body>
</html>
`
}

/** A source of scripts or styles for the policy of a page. */
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** Line breaks are kept. */
const visible = (text: string): string =>
  text.includes("\n") ? text.split("\n").map(printable).join("\n") : printable(text)
