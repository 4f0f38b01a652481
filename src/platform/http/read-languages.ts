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
