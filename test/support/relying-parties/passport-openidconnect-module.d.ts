/** The parts of passport and its strategy that a test uses: the packages have no types. */
declare module 'passport-openidconnect' {
  export type Params = Record<string, string>
  export type Done = (error: Error | null, user: object) => void
  type Exchange = (code: string, parameters: Params, done: (...given: unknown[]) => void) => void

  export class Strategy {
    constructor(options: object, verify: (...given: never[]) => void)
    _oauth2: { getOAuthAccessToken: Exchange }
    authorizationParams(options: object): Params
  }
}

declare module 'passport' {
  import type { Handler } from 'express'
  import type { Strategy } from 'passport-openidconnect'

  const passport: { authenticate(strategy: Strategy, options: object): Handler }
  export default passport
}

declare module 'express-session' {
  import type { Handler } from 'express'

  export default function session(options: object): Handler
}
