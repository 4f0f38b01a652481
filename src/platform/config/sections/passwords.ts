/** Longer passwords are rejected, so that hashing them cannot overload the server. */
export const maxPasswordBytes = 1024

/** The password policy, and the parameters of hashing (argon2id). */
export interface PasswordsConfig {
  /** Bytes. Default and minimum 6. */
  minLength?: number | undefined
  /** Sets of characters; a password must contain one of each: `['0123456789', 'abcdef…']`. */
  requiredCharacters?: readonly string[] | undefined
  /** Rejects passwords known from breaches, by Have I Been Pwned. Default false. */
  hibpEnabled?: boolean | undefined
  /** Rejects new passwords, too, while that service is unavailable. Default false. */
  hibpFailClosed?: boolean | undefined
  /** The `User-Agent` of requests to that service. Default `Latchkey`. */
  hibpUserAgent?: string | undefined
  /**
   * The minimum strength of a new password, 1 to 4, estimated by zxcvbn; replaces
   * `requiredCharacters`. Needs the packages `@zxcvbn-ts/core`, `@zxcvbn-ts/language-common` and
   * `@zxcvbn-ts/language-en`. Default 0: no minimum.
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
