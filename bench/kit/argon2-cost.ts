/** Latchkey's defaults, which every target that hashes with argon2 uses. */
export const argon2Cost = { memoryCost: 19456, timeCost: 2, parallelism: 1 }
