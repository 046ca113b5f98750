import { typeIn } from "./cli.ts"

/** Who the embedded service knows. */
export const sandboxUser = {
  FHIR2VISIT_USERNAME: "sandbox",
  FHIR2VISIT_PASSWORD: "sandbox",
  FHIR2VISIT_CLIENT_ID: "sandbox",
  FHIR2VISIT_CLIENT_SECRET: "sandbox"
}

/** Types a command as that user, with more in the environment where a test needs it. */
export const typed = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  typeIn({ ...sandboxUser, ...env }, words)
