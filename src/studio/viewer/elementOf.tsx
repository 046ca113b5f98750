/** The element of the page with an id. Throws if the page does not have it. */
export const elementOf = (id: string): HTMLElement => {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no element \`${id}\``)
  return element
}
