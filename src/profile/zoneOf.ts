import type { Frequencies } from "./Profile.ts"

/** Zones of one offset all the year, where most of the people of that offset live. */
const zones: Readonly<Record<string, string>> = {
  "+01:00": "Africa/Lagos",
  "+02:00": "Africa/Maputo",
  "+03:00": "Africa/Nairobi",
  "+04:00": "Asia/Dubai",
  "+04:30": "Asia/Kabul",
  "+05:00": "Asia/Karachi",
  "+05:30": "Asia/Kolkata",
  "+05:45": "Asia/Kathmandu",
  "+06:00": "Asia/Dhaka",
  "+06:30": "Asia/Yangon",
  "+07:00": "Asia/Phnom_Penh",
  "+08:00": "Asia/Manila",
  "+09:00": "Asia/Tokyo",
  "+10:00": "Pacific/Port_Moresby"
}

/**
 * The zone that offsets speak for: that of the most frequent offset. `Z` and `+00:00` are how servers write and say nothing of a
 * place; two offsets an hour apart are a summer and a winter, and are left to people.
 */
export const zoneOf = (offsets: Frequencies): string | undefined => {
  const local = offsets.filter(([offset]) => offset !== "Z" && offset !== "+00:00" && offset !== "-00:00")
  const [first, second] = local
  return first === undefined || (second !== undefined && second[1] * 10 > first[1]) ? undefined : zones[first[0]]
}
