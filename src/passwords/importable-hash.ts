import { validationFailed } from '../errors/request-errors.ts'

const argon2Form =
  /^\$argon2(?:i|d|id)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{22,88}$/

/** What a hash may cost to check, whoever made it. */
const maxCost = { memoryKib: 1_048_576, iterations: 20, parallelism: 16 }

/**
 * Accepts the hash of a password that another service made, if it can be checked here at a bounded
 * cost: argon2i, argon2d or argon2id in the PHC string format, version 19.
 *
 * @throws AuthError `validation_failed`, without quoting the hash.
 */
export function requireImportableHash(passwordHash: string): string {
  const [, memory, iterations, parallelism] = argon2Form.exec(passwordHash) ?? []
  const isBounded =
    Number(memory) <= maxCost.memoryKib &&
    Number(iterations) <= maxCost.iterations &&
    Number(parallelism) <= maxCost.parallelism
  if (!isBounded) throw validationFailed('password_hash: is of no form that can be checked')
  return passwordHash
}
