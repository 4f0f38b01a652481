/** The languages of the built-in mails. The first is the default. */
export const languages = ['en', 'de', 'fr'] as const

export type Language = (typeof languages)[number]

/**
 * Returns the first supported language of a list, such as `de` for `de-AT`.
 *
 * @param tags of BCP 47, the most preferred first.
 * @param supported default: the languages of the built-in mails.
 * @see RFC 4647 §3.4
 */
export function bestLanguage<Supported extends string = Language>(
  tags: readonly string[],
  supported: readonly (Supported | Language)[] = languages,
): Supported | Language {
  for (const tag of tags) {
    const [primary = ''] = tag.toLowerCase().split('-')
    const known = supported.find((language) => language === primary)
    if (known) return known
  }
  return languages[0]
}
