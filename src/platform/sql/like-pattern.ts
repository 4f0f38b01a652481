/**
 * Returns a pattern of SQL's `LIKE` for texts that contain another one. `%` and `_` remain
 * wildcards, as on the wire; backslashes are escaped.
 */
export const containing = (text: string): string => `%${text.replaceAll('\\', '\\\\')}%`

/**
 * Returns the smallest text after all texts with this prefix, in the order of code points, which is
 * that of the collation "C". Empty if there is none.
 */
export function prefixUpperBound(beginning: string): string {
  const points = [...beginning]
  const last = points.pop()?.codePointAt(0)
  if (last === undefined) return ''
  const rest = points.join('')
  if (last === 0x10ffff) return prefixUpperBound(rest)
  // The code points between these two are surrogates, which are not characters.
  return rest + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
}
