/** Languages of the pages that the help names. */
export const offeredLanguages = ["en", "fr"] as const

/** Languages of the pages; one that is not offered is a draft for its reviewer. */
export const languageNames = [...offeredLanguages, "km-draft"] as const

export type Language = (typeof languageNames)[number]
