import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { named, pictured } from './profile.ts'

/** @see https://developer.atlassian.com/cloud/bitbucket/oauth-2/ */
export const bitbucket: ProviderDefinition = {
  label: providerLabels.bitbucket,
  endpoints: ({ url }) => {
    const site = url ?? 'https://bitbucket.org'
    return {
      authorization: `${site}/site/oauth2/authorize`,
      token: `${site}/site/oauth2/access_token`,
    }
  },
  scopes: ['account', 'email'],
  takesScopes: false,
  async readProfile({ client, get }) {
    const api = `${client.url ?? 'https://api.bitbucket.org'}/2.0`
    const [user, emails] = await Promise.all([get(`${api}/user`), get(`${api}/user/emails`)])
    return {
      subject: user.text('uuid'),
      emails: emails.list('values').flatMap((email) => {
        const address = email.text('email')
        if (address === null) return []
        const isVerified = email.isTrue('is_confirmed')
        return [{ address, isVerified, isPrimary: email.isTrue('is_primary') }]
      }),
      claims: {
        iss: api,
        ...named(user.text('display_name')),
        ...pictured(user.text('avatar', 'href')),
      },
    }
  },
}
