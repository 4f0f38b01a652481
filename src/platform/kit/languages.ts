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

const maxLanguages = 10

/**
 * Returns the languages of an `Accept-Language` header, the most preferred first.
 *
 * @see RFC 9110 §12.5.4
 */
export function readLanguages(header: string | null): string[] {
  if (!header) return []
  return header
    .split(',', maxLanguages)
    .map(readRange)
    .filter(({ tag, weight }) => /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i.test(tag) && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}

function readRange(range: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { tag, weight: weight === undefined ? 1 : Number(weight) || 0 }
}
