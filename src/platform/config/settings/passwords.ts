import { boolean } from '../parsers/choices.ts'
import { characterSets } from '../parsers/lists.ts'
import { integer } from '../parsers/numbers.ts'
import { text } from '../parsers/texts.ts'
import { live } from '../setting.ts'

export const passwordSettings = [
  live('passwords.minLength', {
    env: 'PASSWORD_MIN_LENGTH',
    parser: integer('bytes', { min: 6, outside: 6 }),
    default: 6,
    description: 'Minimum length of a password; less than 6 becomes 6.',
  }),
  live('passwords.requiredCharacters', {
    env: 'PASSWORD_REQUIRED_CHARACTERS',
    parser: characterSets,
    default: [],
    description:
      'Sets of characters, separated by `:`; a password must contain one of each; `\\:` is a colon.',
  }),
  live('passwords.hibpEnabled', {
    env: 'PASSWORD_HIBP_ENABLED',
    parser: boolean,
    default: false,
    description: 'Rejects passwords that Have I Been Pwned lists as breached: `docs/passwords.md`.',
  }),
  live('passwords.hibpFailClosed', {
    env: 'PASSWORD_HIBP_FAIL_CLOSED',
    parser: boolean,
    default: false,
    description: 'Rejects new passwords, too, while that service is unavailable.',
  }),
  live('passwords.hibpUserAgent', {
    env: 'PASSWORD_HIBP_USER_AGENT',
    parser: text,
    default: 'Latchkey',
    description: 'User agent of requests to that service.',
  }),
  live('passwords.minScore', {
    env: 'PASSWORD_MIN_SCORE',
    parser: integer('score', { min: 0, max: 4 }),
    default: 0,
    defaultText: 'none',
    description:
      'Minimum strength of a new password, 1 to 4, in place of sets of characters; needs the packages `@zxcvbn-ts/core`, `@zxcvbn-ts/language-common` and `@zxcvbn-ts/language-en`: `docs/passwords.md`.',
  }),
  live('passwords.argon2.memoryKib', {
    env: 'PASSWORD_HASH_MEMORY_KIB',
    parser: integer('KiB', { min: 8, max: 4_194_304 }),
    default: 19_456,
    description: 'Memory of one hash (argon2id).',
  }),
  live('passwords.argon2.iterations', {
    env: 'PASSWORD_HASH_ITERATIONS',
    parser: integer('passes', { min: 1, max: 1_000 }),
    default: 2,
    description: 'Passes over that memory.',
  }),
  live('passwords.argon2.parallelism', {
    env: 'PASSWORD_HASH_PARALLELISM',
    parser: integer('lanes', { min: 1, max: 255 }),
    default: 1,
    description: 'Lanes of one hash; each needs 8 KiB.',
  }),
]
