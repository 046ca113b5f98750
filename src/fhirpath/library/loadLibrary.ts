import { createRequire } from "node:module"

type Library = typeof import("./fhirpathLibrary.ts")

let loaded: Library | undefined

/** Returns the library `fhirpath`. It is loaded when it is first needed; `import()` would make every evaluation asynchronous. */
export const loadLibrary = (): Library => {
  if (loaded === undefined) {
    const file = import.meta.url.endsWith(".ts") ? "./fhirpathLibrary.ts" : "./fhirpathLibrary.mjs"
    // `require` has no types.
    loaded = createRequire(import.meta.url)(file) as Library
  }
  return loaded
}
