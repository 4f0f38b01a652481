import type { PageRequest } from './page-request.ts'

/**
 * Returns the name of a device in the language of the page.
 *
 * @param name such as `Firefox on Windows`: see `deviceName`.
 */
export function deviceTitle({ text }: Pick<PageRequest, 'text'>, name: string | null): string {
  if (name === null) return text('sessions.unknown')
  const [browser = '', system] = name.split(' on ')
  return system === undefined ? browser : text('sessions.device', { browser, system })
}
