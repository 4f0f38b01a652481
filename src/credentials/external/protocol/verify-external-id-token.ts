import type { Config } from '../../../platform/config/config.ts'
import type {
  ExternalProfile,
  JsonReader,
} from '../../../platform/config/sections/provider-definition.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import type { Clock } from '../../../platform/kit/clock.ts'
import { isSameSecret, sha256Hex } from '../../../platform/kit/digest.ts'
import { type SingleUseIdToken, singleUse } from '../consume-id-token.sql.ts'
import { isSubject } from '../external-account.ts'
import { findIdTokenProvider, type IdTokenProvider } from '../find-id-token-provider.ts'
import {
  badIdTokenSent,
  idTokenRequired,
  issuerNotAccepted,
  issuerUnavailable,
  nonceMismatch,
  nonceOnOneSide,
  providerRequired,
  subjectMissing,
  unacceptableAudience,
} from '../id-token-errors.ts'
import type { Providers } from '../open-providers.ts'
import { readStandardClaims } from '../profile.ts'
import type { Issuers } from './issuers.ts'
import {
  audiencesOf,
  isBadIdToken,
  issuerNamedIn,
  requireAuthorizedParty,
  verifyIssuedToken,
} from './verify-id-token.ts'

interface Needs {
  config: Config
  clock: Clock
  issuers: Issuers
  providers: Pick<Providers, 'findRegistered'>
}

/** An id token that the client obtained from a provider itself. */
export interface SentIdToken {
  provider?: string | undefined
  idToken?: string | undefined
  accessToken?: string | undefined
  nonce?: string | undefined
  clientId?: string | undefined
  issuer?: string | undefined
}

/** The user that an id token identifies. */
export interface ExternalIdToken {
  provider: IdTokenProvider
  profile: ExternalProfile
  /** The token that the sign-in consumes, where no nonce binds it to a request; else null. */
  singleUse: SingleUseIdToken | null
}

/**
 * Verifies an id token of a client and reads its profile. Nothing is stored.
 *
 * @throws AuthError `validation_failed` (400) without a token or a provider, `provider_disabled`
 *   (400), `invalid_credentials` (400) for a token that is not accepted; on the wire most of them
 *   have the form of OAuth errors. `service_unavailable` (503) while the keys of the issuer are
 *   unavailable.
 * @see OpenID Connect Core 1.0 §3.1.3.7
 */
export async function verifyExternalIdToken(
  needs: Needs,
  sent: SentIdToken,
): Promise<ExternalIdToken> {
  const { idToken = '', provider: name, issuer, clientId } = sent
  if (idToken === '') throw idTokenRequired()
  if (!name && !(clientId && issuer)) throw providerRequired()
  const provider = await findIdTokenProvider(needs, sent)
  requireIssuer(provider, idToken, issuer)
  const claims = await verify(needs, provider, sent)
  const profile = readProfile(() => read(provider, claims))
  // The client sent it, so an invalid token is no fault of the service.
  if (!isSubject(profile.subject)) throw badIdTokenSent(new Error('the subject cannot be stored'))
  const isBound = comparesNonce(provider) && Boolean(sent.nonce)
  return {
    provider,
    profile,
    singleUse: isBound ? null : singleUse(idToken, requireRecent(claims, needs.clock.now())),
  }
}

/** The age up to which a token without a nonce is accepted. */
const maxUnboundSeconds = 24 * 60 * 60

/**
 * Requires a token without a nonce to be recent. So it is stored for a day at most, not until its
 * own expiry, which its issuer chooses.
 *
 * @returns the end of its acceptance, in seconds.
 * @see OpenID Connect Core 1.0 §3.1.3.7, on `iat`
 */
function requireRecent(claims: JsonReader, now: Date): number {
  const seconds = now.getTime() / 1000
  const expiry = claims.number('exp') ?? 0
  const issuedAt = claims.number('iat')
  const end = issuedAt === null ? expiry : Math.min(expiry, issuedAt + maxUnboundSeconds)
  const isAgeKnown = issuedAt !== null || end <= seconds + maxUnboundSeconds
  if (isAgeKnown && seconds < end) return end
  throw badIdTokenSent(new Error('the token has no nonce and was not issued within a day'))
}

const read = ({ rules, client }: IdTokenProvider, claims: JsonReader): ExternalProfile =>
  rules.readClaims ? rules.readClaims(claims, client) : readStandardClaims(claims)

/** Providers with several issuers, in the words of the wire. */
const ofSeveralIssuers: Readonly<Record<string, string>> = { apple: 'an Apple', azure: 'an Azure' }

/** Rejects another issuer of these providers with a message about the issuer. */
function requireIssuer(
  { name, label, rules, client }: IdTokenProvider,
  idToken: string,
  expected: string | undefined,
): void {
  const described = Object.hasOwn(ofSeveralIssuers, name) ? ofSeveralIssuers[name] : undefined
  if (described === undefined) return
  const issuer = issuerNamedIn(idToken)
  if (issuer === null) {
    throw issuerNotAccepted(`Unable to detect issuer in ID token for ${label} provider`)
  }
  if (rules.issuerOf(issuer, client) === null) {
    throw issuerNotAccepted(`Detected ID token issuer is not ${described} ID token issuer`)
  }
  if (expected && expected !== issuer) {
    throw issuerNotAccepted('Provided issuer does not match ID token issuer')
  }
}

async function verify(
  needs: Pick<Needs, 'clock' | 'issuers'>,
  provider: IdTokenProvider,
  sent: SentIdToken,
): Promise<JsonReader> {
  const { rules, client, audiences, issuers = needs.issuers } = provider
  try {
    const claims = await verifyIssuedToken(
      { ...needs, issuers },
      {
        idToken: sent.idToken ?? null,
        accessToken: sent.accessToken || null,
        rules,
        client,
      },
    )
    if (typeof claims.value('sub') !== 'string' || claims.text('sub') === null) {
      throw subjectMissing()
    }
    const named = audiencesOf(claims)
    if (!named.some((audience) => audience !== '' && audiences.includes(audience))) {
      throw unacceptableAudience(named)
    }
    requireAuthorizedParty(claims, audiences)
    requireNonce(provider, claims, sent.nonce || null)
    return claims
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw isBadIdToken(error) ? badIdTokenSent(error) : issuerUnavailable(error)
  }
}

const comparesNonce = ({ rules, settings }: IdTokenProvider): boolean =>
  !settings.skipNonceCheck && !rules.lacksNonce

/** Compares the nonce. The provider received its SHA-256, so the token does not reveal it. */
function requireNonce(provider: IdTokenProvider, claims: JsonReader, nonce: string | null): void {
  if (!comparesNonce(provider)) return
  const hashed = claims.value('nonce')
  const isThere = hashed !== undefined && hashed !== ''
  if (isThere !== (nonce !== null)) throw nonceOnOneSide()
  if (nonce === null) return
  if (typeof hashed !== 'string' || !isSameSecret(hashed, sha256Hex(nonce))) throw nonceMismatch()
}

/** A token that the definition of its provider cannot read is malformed. */
function readProfile(work: () => ExternalProfile): ExternalProfile {
  try {
    return work()
  } catch (error) {
    throw error instanceof AuthError ? error : badIdTokenSent(error)
  }
}
