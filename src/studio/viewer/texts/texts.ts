import { en } from "./en.ts"
import { fr } from "./fr.ts"
import { km } from "./km.ts"

/** Every text of the pages in one language. */
export type ViewerTexts = typeof en

/** Languages that a speaker has read in full. */
export const offeredLanguages = ["en", "fr"]

/** Every language; one that is not offered is a draft for its reviewer. */
export const languages: Readonly<Record<string, ViewerTexts>> = { en, fr, "km-draft": km }

/** The texts of a language (BCP 47), else English. */
export const textsOf = (language: string): ViewerTexts => languages[language] ?? en
