import { requireModule } from "../../requireModule.ts"

type Library = typeof import("./fhirpathLibrary.ts")

let loaded: Library | undefined

/** Returns the library `fhirpath`, which is loaded when it is first needed. */
export const loadLibrary = (): Library =>
  // What is loaded by its name has no type. The name is that of this file.
  loaded ??= requireModule(import.meta.url, "fhirpathLibrary") as Library
