import type { EndpointCaller } from '../../accounts/callers/endpoint-caller.ts'
import type { LimitName } from '../../limits/request-limit.ts'
import type { Config } from '../../platform/config/config.ts'

/** Rejects a request where the configuration does not offer the endpoint. */
export interface OfferedGuard {
  requires: (needs: { config: Config }) => void
}

/** The callers that an endpoint accepts. */
type CallerGuard =
  | { caller: 'anyone' }
  | {
      caller: 'user'
      /**
       * The use case reads the user in its own statement, and receives the claims of the verified
       * token.
       */
      isReadByUseCase?: true
      /** Whether tokens of OAuth clients are accepted: `AcceptedCaller` states the default. */
      acceptsClients?: true
    }
  | { caller: 'operator' }

/** Counts the request against a limit of its client. */
export interface LimitGuard {
  limit: LimitName
  /** Another limit, which some requests are counted against instead. */
  alternative?: AlternativeLimit
}

/**
 * A limit for the requests that their body distinguishes. Both limits are counted together before
 * the body is read, and the one that applies is counted afterwards.
 */
interface AlternativeLimit {
  limit: LimitName
  /** Whether the configuration offers such requests. Otherwise there is one limit for all. */
  isOffered: (config: Config) => boolean
  /** Whether the limit applies to a request, by its input. */
  appliesTo: (input: object) => boolean
}

/** Requires a solved captcha, where the configuration enables captchas. */
interface CaptchaGuard {
  captcha: true
}

/** The guards of an endpoint, in the order in which they run. */
export type Guards = readonly [
  ...([OfferedGuard] | []),
  CallerGuard,
  ...([OfferedGuard] | []),
  ...([LimitGuard] | []),
  ...([CaptchaGuard] | []),
]

export const offeredIf = (requires: OfferedGuard['requires']): OfferedGuard => ({ requires })

/** Any client, with or without a token. */
export const anyone = { caller: 'anyone' } as const

/** A user with a live session and without a ban. */
export const user = { caller: 'user' } as const

/** A user whom the use case reads, and whose dead session or ban it rejects itself. */
export const userOfToken = { caller: 'user', isReadByUseCase: true } as const

/** A `userOfToken`, also with the token of an OAuth client, which the use case may restrict. */
export const userOrClient = { ...userOfToken, acceptsClients: true } as const

/** A token for administration, or a user with a role of operators and a proved factor. */
export const operator = { caller: 'operator' } as const

export const limit = (name: LimitName, alternative?: AlternativeLimit): LimitGuard => ({
  limit: name,
  ...(alternative && { alternative }),
})

export const captcha = { captcha: true } as const

type GuardSettings = {
  caller: EndpointCaller
  isReadByUseCase?: true
  acceptsClients?: true
} & Partial<OfferedGuard & LimitGuard & CaptchaGuard>

/** Returns the guards of an endpoint by their names. */
export const guardsOf = ({ guards }: { guards: Guards }): GuardSettings =>
  Object.assign({}, ...guards)
