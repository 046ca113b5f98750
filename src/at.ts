/** The element at an index that must be in range. Throws if it is not, where `list[index]` would give `undefined`. */
export const at = <A>(list: { readonly [index: number]: A }, index: number): A => {
  const element = list[index]
  if (element === undefined) throw new RangeError(`index ${index} is out of range`)
  return element
}

/** The same for the arrays that a large run reads most. V8 compiles a function for one type of array to a plain read. */
export const numberAt = (list: Uint32Array, index: number): number => {
  const number = list[index]
  if (number === undefined) throw new RangeError(`index ${index} is out of range`)
  return number
}
