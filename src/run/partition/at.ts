/** The element at an index that must be in range. Throws if it is not, where `list[index]` would give `undefined`. */
export const at = <A>(list: { readonly [index: number]: A }, index: number): A => {
  const element = list[index]
  if (element === undefined) throw new RangeError(`index ${index} is out of range`)
  return element
}
