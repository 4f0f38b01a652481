/** How Nuxt and Vue mark what is theirs: errors, islands and refs, which a payload writes and reads in ways of its own. */
const mark = /^__(?:nuxt|v)_|^__proto__$/

/**
 * A copy without members that have the name of such a mark. Metadata is what users say, or who signed up with their address before them: a
 * mark in it makes every page fail that is rendered, or has the browser load what it names.
 */
export const withoutMarks = <T extends object>(value: T): T =>
  JSON.parse(JSON.stringify(value, (key, member) => (mark.test(key) ? undefined : member)))
