import { createHash } from 'node:crypto'

/** The password of all users. */
export const password = 'correct horse battery staple'

/** The user whose rows are copied: see `populate`. */
export const templateEmail = 'template@bench.test'

/**
 * Returns values of user `n` and of the user's one session. The ids are spread over the index, as
 * random ones are.
 */
export const emailOf = (n: number): string => `person${n}@bench.test`
export const userIdOf = (n: number): string => asUuid(`user ${n}`)
export const sessionIdOf = (n: number): string => asUuid(`session ${n}`)

/** SQL expressions for the values of user `n`, where `n` is a column. */
export const sqlOf = {
  email: `'person' || n || '@bench.test'`,
  userId: `md5('user ' || n)`,
  sessionId: `md5('session ' || n)`,
}

/** The user agent, which sessions store. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

/** The secret with which all servers sign. */
export const secret = 'the secret of a bench of more than 32 bytes'

const asUuid = (text: string): string =>
  md5(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

export const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
