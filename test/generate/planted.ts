import type { GeneratedEngine } from "../../src/fhirpath/FhirPath.ts"

/** An engine with a planted fault. It counts the functions that the fault changes, and those that are no longer code. */
export const planted = (alter: (text: string) => string) => {
  const counts = { changed: 0, broken: 0 }
  const by: GeneratedEngine = {
    after: 1,
    proves: false,
    alter: (text) => {
      const altered = alter(text)
      if (altered === text) return text
      counts.changed++
      try {
        // It is only compiled. This project generated the text.
        return typeof new Function(altered) === "function" ? altered : text
      } catch {
        counts.broken++
        return text
      }
    }
  }
  return { by, counts }
}
