/** @see JSON Schema 2020-12 */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A time on the wire. @see RFC 3339 §5.6 */
export const instant = { type: 'string', format: 'date-time' } as const satisfies JsonSchema
