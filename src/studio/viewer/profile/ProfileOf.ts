import type { Frequencies } from "../../profile/Profile.ts"
import type { ViewerTexts } from "../texts/texts.ts"
import type { ProfileJson } from "./ProfileJson.ts"

/** The props of the sections of a profile. */
export interface ProfileOf {
  readonly profile: ProfileJson
  /** The lines that are suggested for a mapping. */
  readonly overlay: string
  readonly texts: ViewerTexts
}

export const counted = ({ number }: ViewerTexts, count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** `Encounter` of `Encounter.status`. */
export const typeOfElement = (element: string): string => element.split(".", 1).join("")

export const frequencyList = (texts: ViewerTexts, frequencies: Frequencies): string =>
  frequencies.map(([name, count]) => `${name}\u00A0${texts.number(count)}`).join(", ")
