import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  JsonReader,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { oneEmail, pictured } from './profile.ts'

/** @see https://docs.discord.com/developers/topics/oauth2 */
export const discord: ProviderDefinition = {
  label: providerLabels.discord,
  endpoints: ({ url }) => {
    const api = `${url ?? 'https://discord.com'}/api`
    return { authorization: `${api}/oauth2/authorize`, token: `${api}/oauth2/token` }
  },
  scopes: ['email', 'identify'],
  usesCodeVerifier: true,
  async readProfile({ client, get }) {
    const api = `${client.url ?? 'https://discord.com'}/api`
    const user = await get(`${api}/users/@me`)
    const username = user.text('username')
    return {
      subject: user.text('id'),
      emails: oneEmail(user.text('email'), user.isTrue('verified')),
      claims: {
        iss: api,
        name: `${username ?? ''}#${user.text('discriminator') ?? ''}`,
        full_name: username,
        custom_claims: { global_name: user.text('global_name') ?? '' },
        ...pictured(avatarOf(user)),
      },
    }
  },
}

/** @throws Error for a user without a picture whose discriminator selects none. */
function avatarOf(user: JsonReader): string {
  const avatar = user.text('avatar')
  if (avatar !== null) {
    const extension = avatar.startsWith('a_') ? 'gif' : 'png'
    return `https://cdn.discordapp.com/avatars/${user.text('id')}/${avatar}.${extension}`
  }
  const discriminator = user.text('discriminator') ?? ''
  if (!/^\d{1,4}$/.test(discriminator)) throw new Error('Discord returned no discriminator')
  return `https://cdn.discordapp.com/embed/avatars/${Number(discriminator) % 5}.png`
}
