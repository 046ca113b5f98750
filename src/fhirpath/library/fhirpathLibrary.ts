import fhirpath from "fhirpath"
import r4 from "fhirpath/fhir-context/r4"

/** The library and its model. Only `loadLibrary` loads this file, because that takes as long as a whole conversion of one visit. */
export { fhirpath, r4 }
