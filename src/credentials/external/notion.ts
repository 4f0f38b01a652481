import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail, pictured } from './profile.ts'

const ownHost = 'https://api.notion.com'

/** @see https://developers.notion.com/docs/authorization */
export const notion: ProviderDefinition = {
  label: providerLabels.notion,
  endpoints: ({ url }) => ({
    authorization: `${url ?? ownHost}/v1/oauth/authorize`,
    token: `${url ?? ownHost}/v1/oauth/token`,
  }),
  takesScopes: false,
  async readProfile({ client, get }) {
    const host = client.url ?? ownHost
    const me = await get(`${host}/v1/users/me`, { 'notion-version': '2021-08-16' })
    // The token belongs to a bot; its owner is the user who installed it.
    const owner = ['bot', 'owner', 'user'] as const
    return {
      subject: me.text(...owner, 'id'),
      // Notion creates accounts for confirmed addresses only.
      emails: oneEmail(me.text(...owner, 'person', 'email'), true),
      claims: {
        iss: host,
        ...named(me.text(...owner, 'name')),
        ...pictured(me.text(...owner, 'avatar_url')),
      },
    }
  },
}
