import type { JsonReader, ProviderDefinition } from '../config/sections/provider-definition.ts'
import { joinNames, named, oneEmail, pictured } from './profile.ts'

/** @see https://developers.zoom.us/docs/integrations/oauth/ */
export const zoom: ProviderDefinition = {
  label: 'Zoom',
  endpoints: ({ url }) => {
    const site = url ?? 'https://zoom.us'
    return { authorization: `${site}/oauth/authorize`, token: `${site}/oauth/token` }
  },
  takesScopes: false,
  usesCodeVerifier: true,
  async readProfile({ client, get }) {
    const api = `${client.url ?? 'https://api.zoom.us'}/v2`
    const user = await get(`${api}/users/me`)
    return {
      subject: user.text('id'),
      emails: oneEmail(user.text('email'), hasConfirmedEmail(user)),
      claims: {
        iss: api,
        ...named(joinNames(user.text('first_name'), user.text('last_name'))),
        ...pictured(user.text('pic_url')),
      },
    }
  },
}

/** Accounts with a password of Zoom's own (login type 100) may not have confirmed it; others come from elsewhere. */
function hasConfirmedEmail(user: JsonReader): boolean {
  const loginType = user.text('login_type')
  return user.number('verified') === 1 || (loginType !== null && loginType !== '100')
}
