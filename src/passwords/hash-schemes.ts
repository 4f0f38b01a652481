import { argon2 } from './schemes/argon2.ts'
import { bcrypt } from './schemes/bcrypt.ts'
import { firebaseScrypt } from './schemes/firebase-scrypt.ts'
import type { HashScheme } from './schemes/scheme.ts'

/** Every scheme whose hashes can be checked; argon2id alone is made. */
const schemes: readonly HashScheme[] = [argon2, bcrypt, firebaseScrypt]

/** The scheme of a stored hash; undefined for one that cannot be checked. */
export const findScheme = (passwordHash: string): HashScheme | undefined =>
  schemes.find((scheme) => scheme.accepts(passwordHash))
