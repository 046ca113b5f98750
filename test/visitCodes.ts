import { Schema } from "effect"
import { readJson } from "./readJson.ts"

const Coded = Schema.Struct({ code: Schema.String })

/** The code of a visit, from its JSON. */
export const visitCode = (visit: string): string => readJson(Coded, visit).code

/** The codes of a list of visits, from its JSON. */
export const visitCodes = (list: string): ReadonlyArray<string> =>
  readJson(Schema.Array(Coded), list).map(({ code }) => code)

/** The codes of the visits in the body of a submission. */
export const submittedCodes = (body: string): ReadonlyArray<string> =>
  readJson(Schema.Struct({ visits: Schema.Array(Coded) }), body).visits.map(({ code }) => code)
