/**
 * Returns the browser and operating system that a user agent states, such as `Firefox on Windows`;
 * null where neither is known. All words are from the library: the name contains no text of the
 * client.
 *
 * @param userAgent as stored, at most a few hundred characters.
 * @see RFC 9110 §10.1.5
 */
export type DeviceName = (userAgent: string | null) => string | null

/** Loads the names of browsers and systems, which a start does not need. */
export async function loadDeviceNames(): Promise<DeviceName> {
  const { BROWSER_MAP, getParser, OS_MAP } = await import('bowser')
  const knownNames = new Set([...Object.values(BROWSER_MAP), ...Object.values(OS_MAP)])
  return (userAgent) => {
    if (!userAgent) return null
    const parser = getParser(userAgent)
    const names = [parser.getBrowserName(), parser.getOSName()]
    return names.filter((name) => knownNames.has(name)).join(' on ') || null
  }
}
