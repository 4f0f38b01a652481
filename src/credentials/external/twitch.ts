import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail, pictured } from './profile.ts'

/** @see https://dev.twitch.tv/docs/authentication/getting-tokens-oauth/ */
export const twitch: ProviderDefinition = {
  label: providerLabels.twitch,
  endpoints: ({ url }) => {
    const id = url ?? 'https://id.twitch.tv'
    return { authorization: `${id}/oauth2/authorize`, token: `${id}/oauth2/token` }
  },
  scopes: ['user:read:email'],
  clientAuthentication: 'body',
  async readProfile({ client, get }) {
    const api = client.url ?? 'https://api.twitch.tv'
    const answer = await get(`${api}/helix/users`, { 'client-id': client.clientId })
    const [user] = answer.list('data')
    if (!user) throw new Error('Twitch returned no user')
    const displayName = user.text('display_name')
    const other = (name: string) => user.text(name) ?? ''
    return {
      subject: user.text('id'),
      // Twitch returns confirmed addresses only.
      emails: oneEmail(user.text('email'), true),
      claims: {
        iss: api,
        ...named(user.text('login')),
        nickname: displayName,
        slug: displayName,
        ...pictured(user.text('profile_image_url')),
        custom_claims: {
          broadcaster_type: other('broadcaster_type'),
          description: other('description'),
          type: other('type'),
          offline_image_url: other('offline_image_url'),
          view_count: user.number('view_count') ?? 0,
        },
      },
    }
  },
}
