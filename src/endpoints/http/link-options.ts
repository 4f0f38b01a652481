import { Text } from '../../platform/http/inputs.ts'
import type { Kinds } from './endpoint.ts'

/** Where a mailed link leads, and what it ends in. */
export interface LinkOptions {
  /** Where people are sent: a URL that `explainRedirect` allows. Any other counts as the default, the site. */
  redirectTo?: string | undefined
  /**
   * Makes the link end in a code for `exchangeCodeForSession`, in place of a session. 43 to 128
   * characters. @see RFC 7636 §4.2
   */
  codeChallenge?: string | undefined
  /** Given with a challenge, and only then. */
  codeChallengeMethod?: 's256' | 'plain' | undefined
}

/** Of the body; `redirectTo` is a parameter of the query. */
export const codeChallengeFields = {
  codeChallenge: Text,
  codeChallengeMethod: Text,
} as const satisfies Kinds<LinkOptions>
