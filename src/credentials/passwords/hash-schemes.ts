import { validationFailed } from '../../platform/errors/request-errors.ts'
import { argon2 } from './schemes/argon2.ts'
import { bcrypt } from './schemes/bcrypt.ts'
import { betterAuthScrypt } from './schemes/better-auth-scrypt.ts'
import { djangoPbkdf2 } from './schemes/django-pbkdf2.ts'
import { firebaseScrypt } from './schemes/firebase-scrypt.ts'
import type { HashScheme } from './schemes/scheme.ts'

/** Every scheme whose hashes are verified. New hashes are argon2id only. */
const schemes: readonly HashScheme[] = [
  argon2,
  bcrypt,
  firebaseScrypt,
  betterAuthScrypt,
  djangoPbkdf2,
]

/** Returns the scheme of a stored hash; undefined for one that cannot be verified. */
export const findScheme = (passwordHash: string): HashScheme | undefined =>
  schemes.find((scheme) => scheme.accepts(passwordHash))

/**
 * Accepts the hash of a password from another service, if it can be verified at a bounded cost:
 * argon2 (PHC string format), bcrypt, the scrypt of Firebase (`$fbscrypt$`) or of Better Auth
 * (`salt:key`), or the PBKDF2 of Django (`pbkdf2_sha256$`, `pbkdf2_sha1$`).
 *
 * @throws AuthError `validation_failed`, without quoting the hash.
 */
export function requireImportableHash(passwordHash: string): string {
  if (findScheme(passwordHash)) return passwordHash
  throw validationFailed('password_hash: is not a supported hash format')
}
