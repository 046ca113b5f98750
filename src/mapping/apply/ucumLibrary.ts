import ucum from "@lhncbc/ucum-lhc"

/** The library of units. Only `convertQuantity` loads this file, when a unit is not one of `commonUnits`. */
export const units = ucum.UcumLhcUtils.getInstance()
