import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  ProviderClient,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { named } from './profile.ts'

/** @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
export const github: ProviderDefinition = {
  label: providerLabels.github,
  endpoints: ({ url }) => {
    const site = url ?? 'https://github.com'
    return {
      authorization: `${site}/login/oauth/authorize`,
      token: `${site}/login/oauth/access_token`,
    }
  },
  scopes: ['user:email'],
  usesCodeVerifier: true,
  async readProfile({ client, get }) {
    const api = apiOf(client)
    const [user, emails] = await Promise.all([get(`${api}/user`), get(`${api}/user/emails`)])
    const login = user.text('login')
    // Only enterprise directories create names with `_`, and they can assert any address.
    const isManaged = login?.includes('_') ?? false
    return {
      subject: user.text('id'),
      // The public address of the profile may be any text; this list contains the user's addresses.
      emails: emails.list().map((email) => ({
        address: email.text('email') ?? '',
        isVerified: !isManaged && email.isTrue('verified'),
        isPrimary: email.isTrue('primary'),
      })),
      claims: {
        iss: api,
        ...named(user.text('name')),
        preferred_username: login,
        user_name: login,
        avatar_url: user.text('avatar_url'),
      },
    }
  },
}

/** Returns the URL of the API, which has its own path on GitHub Enterprise Server. */
function apiOf({ url }: ProviderClient): string {
  if (url === null) return 'https://api.github.com'
  return url.endsWith('api.github.com') ? url : `${url}/api/v3`
}
