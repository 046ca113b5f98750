import { en } from "./en.ts"

/** Every text of the pages in one language. */
export type ViewerTexts = typeof en

export const languages: Readonly<Record<string, ViewerTexts>> = { en }

/** The texts of a language (BCP 47), else English. */
export const textsOf = (language: string): ViewerTexts => languages[language] ?? en
