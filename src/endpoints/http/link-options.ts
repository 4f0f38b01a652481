import { Text } from '../../platform/http/inputs.ts'
import type { Kinds } from './endpoint.ts'

/** The redirect target of a mailed link, and its result. */
export interface LinkOptions {
  /** A URL that `explainRedirect` allows. Any other is replaced by the default, the site URL. */
  redirectTo?: string | undefined
  /**
   * The code challenge, with which the link ends in a code for `exchangeCodeForSession`, in place
   * of a session. 43 to 128 characters. @see RFC 7636 §4.2
   */
  codeChallenge?: string | undefined
  /** Required with a code challenge, and permitted only with one. */
  codeChallengeMethod?: 's256' | 'plain' | undefined
}

/** Fields of the body; `redirectTo` is a parameter of the query. */
export const codeChallengeFields = {
  codeChallenge: Text,
  codeChallengeMethod: Text,
} as const satisfies Kinds<LinkOptions>
