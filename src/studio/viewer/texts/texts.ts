import { en } from "./en.ts"
import { fr } from "./fr.ts"
import { km } from "./km.ts"
import type { Language } from "./languages.ts"

/** Every text of the pages in one language. */
export type ViewerTexts = typeof en

export const languages: Readonly<Record<Language, ViewerTexts>> = { en, fr, "km-draft": km }

/** The texts of a language (BCP 47), otherwise English. */
export const textsOf = (language: string): ViewerTexts => isLanguage(language) ? languages[language] : en

const isLanguage = (language: string): language is Language => Object.hasOwn(languages, language)
