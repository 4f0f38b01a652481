import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail, pictured } from './profile.ts'

const fields = 'id,name,username,confirmed_email,profile_image_url,url,created_at'

/**
 * X with OAuth 2.0.
 *
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
 */
export const x: ProviderDefinition = {
  label: providerLabels.x,
  endpoints: ({ url }) => ({
    authorization: `${url ?? 'https://x.com'}/i/oauth2/authorize`,
    token: `${url ?? 'https://api.x.com'}/2/oauth2/token`,
  }),
  scopes: ['users.email', 'tweet.read', 'users.read', 'offline.access'],
  usesCodeVerifier: true,
  async readProfile({ client, get }) {
    const api = client.url ?? 'https://api.x.com'
    const answer = await get(`${api}/2/users/me?user.fields=${fields}`)
    const text = (member: string) => answer.text('data', member)
    const username = text('username')
    return {
      subject: text('id'),
      emails: oneEmail(text('confirmed_email'), true),
      claims: {
        iss: api,
        ...named(text('name')),
        preferred_username: username,
        user_name: username,
        ...pictured(text('profile_image_url')),
        profile: username === null ? null : `https://x.com/${username}`,
        website: text('url'),
        custom_claims: { created_at: text('created_at') ?? '' },
      },
    }
  },
}
