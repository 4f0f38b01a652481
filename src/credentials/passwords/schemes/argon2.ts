import type { HashScheme } from './scheme.ts'

const form =
  /^\$argon2(?:i|d|id)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{22,88}$/

/**
 * The maximum cost of a hash of any origin. The minimum is that of the algorithm. @see RFC 9106
 * §3.1
 */
const maxCost = { memoryKib: 1_048_576, iterations: 20, parallelism: 16 }

/** The memory times the iterations above which a verification is costly: 512 MiB. */
const costlyKib = 524_288

/** Returns memory, iterations and parallelism; zeros for another form. */
function parametersOf(passwordHash: string): [number, number, number] {
  const [memory = 0, iterations = 0, parallelism = 0] =
    form.exec(passwordHash)?.slice(1).map(Number) ?? []
  return [memory, iterations, parallelism]
}

/** argon2i, argon2d and argon2id in the PHC string format, version 19. @see RFC 9106 */
export const argon2: HashScheme = {
  accepts: (passwordHash) => {
    const [memory, iterations, parallelism] = parametersOf(passwordHash)
    return (
      parallelism >= 1 &&
      parallelism <= maxCost.parallelism &&
      iterations >= 1 &&
      iterations <= maxCost.iterations &&
      memory >= 8 * parallelism &&
      memory <= maxCost.memoryKib
    )
  },
  kindOf: (passwordHash) => passwordHash.split('$').slice(0, 4).join('$'),
  isCostly: (passwordHash) => {
    const [memory, iterations] = parametersOf(passwordHash)
    return memory * iterations > costlyKib
  },
  verify: async (compute, passwordHash, password) =>
    (await compute('verifyArgon2', passwordHash, password)).value,
}
