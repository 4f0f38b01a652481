/**
 * The least text that comes behind all texts that begin like this one, in the order of code points, which
 * is that of the collation "C". Empty when there is none.
 */
export function prefixUpperBound(beginning: string): string {
  const points = [...beginning]
  const last = points.pop()?.codePointAt(0)
  if (last === undefined) return ''
  const rest = points.join('')
  if (last === 0x10ffff) return prefixUpperBound(rest)
  // Between these two are the halves of surrogate pairs, which are no characters.
  return rest + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
}
