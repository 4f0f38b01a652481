/** Longer ones are refused: hashing must not become a way to keep the server busy. */
export const maxPasswordBytes = 1024

/** What a password must be, and how it is hashed (argon2id). */
export interface PasswordsConfig {
  /** Bytes. Default 6, and never less. */
  minLength?: number | undefined
  /** Sets of characters; a password holds one of each: `['0123456789', 'abcdef…']`. */
  requiredCharacters?: readonly string[] | undefined
  /** Refuses passwords known from breaches, by asking Have I Been Pwned. Default false. */
  hibpEnabled?: boolean | undefined
  /** Refuses new passwords, too, while that service cannot be asked. Default false. */
  hibpFailClosed?: boolean | undefined
  /** What requests to that service call themselves. Default `Latchkey`. */
  hibpUserAgent?: string | undefined
  /**
   * Least strength of a new password, 1 to 4, as zxcvbn estimates it, in place of `requiredCharacters`. Needs the packages
   * `@zxcvbn-ts/core`, `@zxcvbn-ts/language-common` and `@zxcvbn-ts/language-en`. Default 0: none is asked for.
   */
  minScore?: number | undefined
  argon2?:
    | {
        /** Default 19456 (19 MiB). */
        memoryKib?: number | undefined
        /** Default 2. */
        iterations?: number | undefined
        /** Default 1. */
        parallelism?: number | undefined
      }
    | undefined
}

export interface ResolvedPasswords {
  minLength: number
  requiredCharacters: readonly string[]
  hibpEnabled: boolean
  hibpFailClosed: boolean
  hibpUserAgent: string
  minScore: number
  argon2: { memoryKib: number; iterations: number; parallelism: number }
}
