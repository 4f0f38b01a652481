import type { HashScheme } from './scheme.ts'

const form =
  /^\$argon2(?:i|d|id)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{22,88}$/

/** What a hash may cost to check, whoever made it. */
const maxCost = { memoryKib: 1_048_576, iterations: 20, parallelism: 16 }

/** argon2i, argon2d and argon2id in the PHC string format, version 19. @see RFC 9106 */
export const argon2: HashScheme = {
  accepts: (passwordHash) => {
    const [, memory, iterations, parallelism] = form.exec(passwordHash) ?? []
    return (
      Number(memory) <= maxCost.memoryKib &&
      Number(iterations) <= maxCost.iterations &&
      Number(parallelism) <= maxCost.parallelism
    )
  },
  verify: (compute, passwordHash, password) => compute('verifyArgon2', passwordHash, password),
}
