/** Returns whether a text has only white space, of any script. Most texts begin with a letter, a digit or a sign of ASCII, which is decided first. */
export const isBlankText = (text: string): boolean => {
  const first = text.charCodeAt(0)
  return !(first > 0x20 && first < 0x7F) && text.trim() === ""
}
