/**
 * Sets the time zone of the process to the facility's zone. `fhirpath` compares a time without an offset to one with an offset in the zone
 * of the process. With the machine's zone, the same input could give other visits on another machine. The zone applies to all threads; the
 * main thread sets it.
 */
export const setProcessZone = (zone: string): void => {
  const name = nameOf(zone)
  if (process.env["TZ"] !== name) process.env["TZ"] = name
}

/** Returns a zone name. Offsets of whole hours have names in the IANA database, with the sign of POSIX: `+07:00` is `Etc/GMT-7`. */
const nameOf = (zone: string): string => {
  const [, sign, hours] = /^([+-])(\d{2}):?00$/u.exec(zone) ?? []
  return hours === undefined ? zone : `Etc/GMT${sign === "+" ? "-" : "+"}${Number(hours)}`
}
