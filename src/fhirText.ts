/** Writes a text as a literal of FHIRPath. */
export const fhirText = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
