import { validationFailed } from '../errors/request-errors.ts'
import { findScheme } from './hash-schemes.ts'

/**
 * Accepts the hash of a password that another service made, if it can be checked here at a bounded
 * cost: argon2 (PHC string format), bcrypt, or the scrypt of Firebase (`$fbscrypt$`).
 *
 * @throws AuthError `validation_failed`, without quoting the hash.
 */
export function requireImportableHash(passwordHash: string): string {
  if (findScheme(passwordHash)) return passwordHash
  throw validationFailed('password_hash: is not a supported hash format')
}
