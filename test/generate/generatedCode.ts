import type { GeneratedEngine } from "../../src/fhirpath/FhirPath.ts"

/** An engine that generates code at the first evaluation, and the text of each function that it generated. */
interface RecordedEngine {
  readonly by: GeneratedEngine
  readonly texts: ReadonlyArray<string>
}

/** Returns an engine that generates code at the first evaluation. `alter` changes the text of a function. */
export const generatedAtOnce = (alter: (text: string) => string = (text) => text): RecordedEngine => {
  const texts: Array<string> = []
  return {
    texts,
    by: {
      after: 1,
      proves: false,
      alter: (text) => {
        const altered = alter(text)
        texts.push(altered)
        return altered
      }
    }
  }
}
