import type {
  ProviderClient,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { named } from './profile.ts'

/** @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
export const github: ProviderDefinition = {
  label: 'GitHub',
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
    // Only the directory of an enterprise creates names with `_`, and it asserts any address.
    const isManaged = login?.includes('_') ?? false
    return {
      subject: user.text('id'),
      // The address of the profile is public and may be any; this list is what the person has.
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

/** GitHub Enterprise Server has its API below a path of its own. */
function apiOf({ url }: ProviderClient): string {
  if (url === null) return 'https://api.github.com'
  return url.endsWith('api.github.com') ? url : `${url}/api/v3`
}
