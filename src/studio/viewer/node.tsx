import { renderToString } from "preact-render-to-string"
import type { PageData } from "./PageData.ts"
import { drawPage, titleOf } from "./pages.tsx"
import { textsOf } from "./texts/texts.ts"

/** Writes a page so that it can be read without its script. */
export const renderPage = (data: PageData): { readonly title: string; readonly body: string } => {
  const texts = textsOf(data.language)
  return { title: titleOf(data, texts), body: renderToString(<>{drawPage(data, texts)}</>) }
}
