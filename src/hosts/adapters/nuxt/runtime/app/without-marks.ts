/**
 * Markers of Nuxt and Vue for errors, islands and refs, which a payload serializes and revives
 * specially.
 */
const mark = /^__(?:nuxt|v)_|^__proto__$/

/**
 * Returns a copy without members that have the name of such a marker. Metadata is set by users, or
 * by a previous sign-up with their address: a marker in it makes all rendered pages fail, or has
 * the browser load the content that it names.
 */
export const withoutMarks = <T extends object>(value: T): T =>
  JSON.parse(JSON.stringify(value, (key, member) => (mark.test(key) ? undefined : member)))
