/** The result types of FHIRPath functions that do not depend on the input. */
export const typeOfFunction: ReadonlyMap<string, string> = new Map([
  ...("exists empty all not allTrue anyTrue allFalse anyFalse subsetOf supersetOf isDistinct contains startsWith endsWith matches " +
    "matchesFull hasValue convertsToBoolean convertsToInteger convertsToDecimal convertsToString convertsToDate " +
    "convertsToDateTime convertsToTime convertsToQuantity toBoolean").split(" ").map((name) =>
      [name, "boolean"] as const
    ),
  ...["count", "length", "indexOf", "lastIndexOf", "toInteger"].map((name) => [name, "integer"] as const),
  ["toDecimal", "decimal"],
  ["join", "string"],
  ["toDate", "date"],
  ["toDateTime", "dateTime"]
])

/** Functions that return part of their input. */
export const keepsInput: ReadonlySet<string> = new Set(
  "where first last tail take skip distinct single exclude intersect subsetOf sort repeat defineVariable".split(" ")
)

/** Functions that return a text for each element of their input. */
export const textOfEachElement: ReadonlySet<string> = new Set(
  "toString substring upper lower trim replace replaceMatches".split(" ")
)
