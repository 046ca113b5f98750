import ucum from "@lhncbc/ucum-lhc"

/** The library of units. Only `convertQuantity` loads this file, when a unit is not one of `commonUnits`. */
export const units = ucum.UcumLhcUtils.getInstance()

/**
 * Silences the library. If its parser throws, it prints the unit to standard output. That is where visits go, and it must contain no text
 * of a source. So the parser finds no unit instead of throwing, which gives the same result.
 */
const silence = (parser: typeof units.uStrParser_): void => {
  const parse = parser.parseString.bind(parser)
  parser.parseString = (unit, ...options) => {
    try {
      return parse(unit, ...options)
    } catch {
      return [null, undefined, []]
    }
  }
}

silence(units.uStrParser_)
