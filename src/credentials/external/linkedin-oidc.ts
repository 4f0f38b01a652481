import { providerIssuers } from '../../platform/config/provider-issuers.ts'
import type {
  ExternalProfile,
  JsonReader,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { linkedinEndpoints } from './linkedin-endpoints.ts'
import { isTrueOrSaysSo, joinNames, oneEmail } from './profile.ts'

/**
 * @see
 *   https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export const linkedinOidc: ProviderDefinition = {
  label: 'LinkedIn',
  endpoints: linkedinEndpoints,
  scopes: ['openid', 'email', 'profile'],
  clientAuthentication: 'body',
  readProfile: async ({ verifyIdToken }) => readClaims(await verifyIdToken()),
  idToken: {
    issuerOf: providerIssuers.linkedin_oidc,
    lacksNonce: true,
    readClaims,
  },
}

function readClaims(claims: JsonReader): ExternalProfile {
  const [given, family] = [claims.text('given_name'), claims.text('family_name')]
  return {
    subject: claims.text('sub'),
    emails: oneEmail(claims.text('email'), isTrueOrSaysSo(claims, 'email_verified')),
    claims: {
      iss: claims.text('iss'),
      name: joinNames(given, family),
      given_name: given,
      family_name: family,
      locale: claims.text('locale'),
      picture: claims.text('picture'),
    },
  }
}
