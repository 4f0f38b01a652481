import { providerIssuers } from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  ExternalProfile,
  JsonReader,
  ProviderClient,
  ProviderDefinition,
  ProviderEndpoints,
} from '../../platform/config/sections/provider-definition.ts'
import { isTrueOrTrueText, joinNames, named, oneEmail, pictured } from './profile.ts'

const linkedinHost = 'https://api.linkedin.com'

/** The endpoints of both LinkedIn providers. */
const linkedinEndpoints = ({ url }: ProviderClient): ProviderEndpoints => ({
  authorization: `${url ?? linkedinHost}/oauth/v2/authorization`,
  token: `${url ?? linkedinHost}/oauth/v2/accessToken`,
})

/** For applications from before August 2023; newer ones use `linkedin_oidc`. */
export const linkedin: ProviderDefinition = {
  label: providerLabels.linkedin,
  endpoints: linkedinEndpoints,
  scopes: ['r_emailaddress', 'r_liteprofile'],
  clientAuthentication: 'body',
  async readProfile({ client, get }) {
    const host = client.url ?? linkedinHost
    const [user, emails] = await Promise.all([
      get(
        `${host}/v2/me?projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))`,
      ),
      get(`${host}/v2/emailAddress?q=members&projection=(elements*(handle~))`),
    ])
    return {
      subject: user.text('id'),
      // LinkedIn returns confirmed addresses only.
      emails: oneEmail(emails.text('elements', 0, 'handle~', 'emailAddress'), true),
      claims: {
        iss: host,
        ...named(joinNames(localized(user, 'firstName'), localized(user, 'lastName'))),
        ...pictured(
          user.text(
            'profilePicture',
            'displayImage~',
            'elements',
            0,
            'identifiers',
            0,
            'identifier',
          ),
        ),
      },
    }
  },
}

/** Returns a name in the user's preferred language. */
function localized(user: JsonReader, name: string): string | null {
  const language = user.text(name, 'preferredLocale', 'language')
  const country = user.text(name, 'preferredLocale', 'country')
  return user.text(name, 'localized', `${language}_${country}`)
}

/**
 * @see
 *   https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export const linkedinOidc: ProviderDefinition = {
  label: providerLabels.linkedin_oidc,
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
    emails: oneEmail(claims.text('email'), isTrueOrTrueText(claims, 'email_verified')),
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
