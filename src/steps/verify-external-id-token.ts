import type { ExternalProfile, JsonReader } from '../config/sections/provider-definition.ts'
import type { AuthContext } from '../deps.ts'
import { AuthError } from '../errors/auth-error.ts'
import { isSameSecret, sha256Hex } from '../kit/digest.ts'
import { findIdTokenProvider, type IdTokenProvider } from '../providers/find-id-token-provider.ts'
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
} from '../providers/id-token-errors.ts'
import {
  audiencesOf,
  isBadIdToken,
  issuerNamedIn,
  requireAuthorizedParty,
  verifyIssuedToken,
} from '../providers/protocol/verify-id-token.ts'
import { readStandardClaims } from '../providers/standard-claims.ts'
import { isSubject } from './external-person.ts'

/** An id token that an application got from a provider itself. */
export interface SentIdToken {
  provider?: string | undefined
  idToken?: string | undefined
  accessToken?: string | undefined
  nonce?: string | undefined
  clientId?: string | undefined
  issuer?: string | undefined
}

/** A person whom a provider vouches for by an id token. */
export interface ExternalIdToken {
  provider: IdTokenProvider
  profile: ExternalProfile
}

/**
 * Verifies an id token that an application got from a provider, and reads who it is of. Nothing is stored.
 *
 * @throws AuthError `validation_failed` (400) without a token or a provider, `provider_disabled` (400),
 *   `invalid_credentials` (400) for a token that is not accepted; on the wire most of them have the form of OAuth.
 *   `service_unavailable` (503) while the keys of the issuer cannot be had.
 * @see OpenID Connect Core 1.0 §3.1.3.7
 */
export async function verifyExternalIdToken(
  ctx: Pick<AuthContext, 'config' | 'clock' | 'issuers'>,
  sent: SentIdToken,
): Promise<ExternalIdToken> {
  const { idToken = '', provider: name, issuer, clientId } = sent
  if (idToken === '') throw idTokenRequired()
  if (!name && !(clientId && issuer)) throw providerRequired()
  const provider = await findIdTokenProvider(ctx.config, sent)
  requireIssuer(provider, idToken, issuer)
  const claims = await verify(ctx, provider, sent)
  const profile = readProfile(() => read(provider, claims))
  // A client sent it: what is wrong with it is no failure of ours.
  if (!isSubject(profile.subject)) throw badIdTokenSent(new Error('the subject cannot be stored'))
  return { provider, profile }
}

const read = ({ rules, client }: IdTokenProvider, claims: JsonReader): ExternalProfile =>
  rules.readClaims ? rules.readClaims(claims, client) : readStandardClaims(claims)

/** Providers whose tokens name one of several issuers, in the words of the wire. */
const ofSeveralIssuers: Readonly<Record<string, string>> = { apple: 'an Apple', azure: 'an Azure' }

/** Says of them what is wrong, where the issuer is, and not only that the token is. */
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
  ctx: Pick<AuthContext, 'clock' | 'issuers'>,
  provider: IdTokenProvider,
  sent: SentIdToken,
): Promise<JsonReader> {
  const { rules, client, audiences } = provider
  try {
    const claims = await verifyIssuedToken(ctx, {
      idToken: sent.idToken ?? null,
      accessToken: sent.accessToken || null,
      rules,
      client,
    })
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

/** The provider was sent the SHA-256 of the nonce, so that whoever sees the token does not know it. */
function requireNonce(
  { rules, settings }: IdTokenProvider,
  claims: JsonReader,
  nonce: string | null,
): void {
  if (settings.skipNonceCheck || rules.lacksNonce) return
  const hashed = claims.value('nonce')
  const isThere = hashed !== undefined && hashed !== ''
  if (isThere !== (nonce !== null)) throw nonceOnOneSide()
  if (nonce === null) return
  if (typeof hashed !== 'string' || !isSameSecret(hashed, sha256Hex(nonce))) throw nonceMismatch()
}

/** What a definition cannot read is a token that is not of the form it has to have. */
function readProfile(work: () => ExternalProfile): ExternalProfile {
  try {
    return work()
  } catch (error) {
    throw error instanceof AuthError ? error : badIdTokenSent(error)
  }
}
