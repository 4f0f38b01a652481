/**
 * The calling codes of one and two digits; all others have three. Within `+1` lie many countries, islands
 * with dear numbers among them, and only the area code tells them apart.
 *
 * @see ITU-T E.164, list of assigned country codes
 */
const region = /^(?:1\d{0,3}|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{1,3})/

/** The country, or part of one, that a number belongs to: `+49`, `+1242`. */
export const callingRegion = (phone: string): string => `+${region.exec(phone)?.[0] ?? ''}`
