import type {
  JsonReader,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { linkedinEndpoints, linkedinHost } from './linkedin-endpoints.ts'
import { joinNames, named, oneEmail, pictured } from './profile.ts'

/** For applications from before August 2023; newer ones use `linkedin_oidc`. */
export const linkedin: ProviderDefinition = {
  label: 'LinkedIn',
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
