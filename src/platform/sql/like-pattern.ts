/**
 * Returns a pattern of SQL's `LIKE` for texts that contain another one. `%` and `_` remain
 * wildcards, as on the wire; backslashes are escaped.
 */
export const containing = (text: string): string => `%${text.replaceAll('\\', '\\\\')}%`
