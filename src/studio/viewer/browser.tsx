import { hydrate } from "preact"
import { elementOf } from "./elementOf.tsx"
import type { PageData } from "./PageData.ts"
import { drawPage } from "./pages.tsx"
import { textsOf } from "./texts/texts.ts"

/** Reads the embedded data: JSON, or gzipped JSON in base64 if it is large. */
const embedded = async (): Promise<PageData> => {
  const holder = elementOf("data")
  const text = holder.textContent
  // The program that wrote the page embedded what PageData.ts declares, in both forms.
  if (holder.getAttribute("type") === "application/json") return JSON.parse(text) as PageData
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))
  // As above.
  return await new Response(unzipped).json() as PageData
}

/** Expands a folded section when a link leads into it. */
const unfold = (): void => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true
  }
  target?.scrollIntoView()
}

void embedded().then((data) => {
  hydrate(<>{drawPage(data, textsOf(data.language))}</>, elementOf("page"))
  addEventListener("hashchange", unfold)
  unfold()
})
