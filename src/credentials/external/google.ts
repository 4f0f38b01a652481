import { Google } from 'arctic'
import { googleIssuer as issuer, providerIssuers } from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  ExternalProfile,
  JsonReader,
} from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail, pictured } from './profile.ts'
import type { ArcticDefinition } from './protocol/oauth2-provider.ts'

const userInfo = 'https://www.googleapis.com/userinfo/v2/me'

/** @see https://developers.google.com/identity/openid-connect/openid-connect */
export const google: ArcticDefinition = {
  label: providerLabels.google,
  // Constants from its discovery document, so that no authorization request waits for a download.
  endpoints: () => ({
    authorization: `${issuer}/o/oauth2/v2/auth`,
    token: 'https://oauth2.googleapis.com/token',
  }),
  // Google returns an id token without `openid`, too.
  scopes: ['email', 'profile'],
  usesCodeVerifier: true,
  createArctic: ({ clientId, clientSecret, redirectUri }) =>
    new Google(clientId, clientSecret, redirectUri),
  async readProfile({ tokens, get, verifyIdToken }) {
    if (tokens.idToken !== null) return readClaims(await verifyIdToken())
    const user = await get(userInfo)
    return describe(user, { subject: user.text('id'), iss: userInfo })
  },
  idToken: {
    issuerOf: providerIssuers.google,
    readClaims,
  },
}

function readClaims(claims: JsonReader): ExternalProfile {
  return describe(claims, { subject: claims.text('sub'), iss: claims.text('iss') })
}

function describe(
  person: JsonReader,
  { subject, iss }: { subject: string | null; iss: string | null },
): ExternalProfile {
  const isVerified = person.isTrue('email_verified') || person.isTrue('verified_email')
  // The organization that owns the account.
  const hd = person.text('hd')
  return {
    subject,
    emails: oneEmail(person.text('email'), isVerified),
    claims: {
      iss,
      ...named(person.text('name')),
      ...pictured(person.text('picture')),
      custom_claims: hd === null ? null : { hd },
    },
  }
}
