/** Languages that the built-in mails speak. The first is for everybody else. */
export const languages = ['en', 'de', 'fr'] as const

export type Language = (typeof languages)[number]

/**
 * The language for somebody who understands these: the first of theirs that we speak, `de` for `de-AT`.
 *
 * @param tags of BCP 47, the most wanted first.
 * @see RFC 4647 §3.4
 */
export function bestLanguage(tags: readonly string[]): Language {
  for (const tag of tags) {
    const [primary = ''] = tag.toLowerCase().split('-')
    const known = languages.find((language) => language === primary)
    if (known) return known
  }
  return languages[0]
}
