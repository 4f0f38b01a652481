/**
 * A pattern of SQL's `LIKE` for text that has another one in it. `%` and `_` in that stand for anything,
 * as the wire has it; a backslash is a backslash.
 */
export const containing = (text: string): string => `%${text.replaceAll('\\', '\\\\')}%`
