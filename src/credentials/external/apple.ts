import { appleIssuer as issuer, providerIssuers } from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  ExternalProfile,
  JsonReader,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { isTrueOrTrueText, joinNames, named, oneEmail } from './profile.ts'
import { jsonReader } from './protocol/json-reader.ts'
import { signClientSecret } from './protocol/sign-client-secret.ts'

/** @see https://developer.apple.com/documentation/signinwithapplerestapi */
export const apple: ProviderDefinition = {
  label: providerLabels.apple,
  // Constants from its discovery document, so that no authorization request waits for a download.
  endpoints: () => ({
    authorization: `${issuer}/auth/authorize`,
    token: `${issuer}/auth/token`,
  }),
  scopes: ['email', 'name'],
  takesScopes: false,
  parameters: { response_mode: 'form_post' },
  takesParameters: false,
  clientAuthentication: 'body',
  issueClientSecret: ({ clientId, clientSecret, signingKey }, now) =>
    signingKey ? signClientSecret(signingKey, { clientId, audience: issuer, now }) : clientSecret,
  async readProfile({ parameter, verifyIdToken }) {
    const { claims, ...profile } = readClaims(await verifyIdToken())
    return { ...profile, claims: { ...claims, ...named(nameOf(parameter('user'))) } }
  },
  idToken: {
    issuerOf: providerIssuers.apple,
    readClaims,
  },
}

function readClaims(claims: JsonReader): ExternalProfile {
  // The address of a school or work account may be unverified.
  const isVerified =
    claims.value('email_verified') === undefined || isTrueOrTrueText(claims, 'email_verified')
  return {
    subject: claims.text('sub'),
    emails: oneEmail(claims.text('email'), isVerified),
    claims: { iss: claims.text('iss'), custom_claims: customClaims(claims) },
  }
}

function customClaims(claims: JsonReader): Record<string, unknown> | null {
  const given = Object.entries({
    is_private_email:
      claims.value('is_private_email') === undefined
        ? null
        : isTrueOrTrueText(claims, 'is_private_email'),
    auth_time: claims.number('auth_time'),
    transfer_sub: claims.text('transfer_sub'),
  }).filter(([, value]) => value !== null)
  return given.length === 0 ? null : Object.fromEntries(given)
}

/** Returns the name from the `user` parameter, which Apple sends at a user's first sign-in only. */
function nameOf(user: string | null): string | null {
  if (user === null) return null
  try {
    const reader = jsonReader(JSON.parse(user))
    return joinNames(reader.text('name', 'firstName'), reader.text('name', 'lastName'))
  } catch {
    return null
  }
}
