import {
  snapchatIssuer as issuer,
  providerIssuers,
} from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail, pictured, readStandardClaims } from './profile.ts'

const accounts = 'https://accounts.snapchat.com'
const scope = (name: string) => `https://auth.snapchat.com/oauth2/api/user.${name}`
const query = encodeURIComponent('{me { externalId displayName bitmoji { avatar id } email } }')

/** @see https://docs.snap.com/snap-kit/login-kit/overview */
export const snapchat: ProviderDefinition = {
  label: providerLabels.snapchat,
  endpoints: ({ url }) => ({
    authorization: `${url ?? accounts}/accounts/oauth2/auth`,
    token: `${url ?? accounts}/accounts/oauth2/token`,
  }),
  scopes: [scope('external_id'), scope('display_name'), scope('bitmoji.avatar')],
  async readProfile({ client, get }) {
    const answer = await get(`${client.url ?? 'https://kit.snapchat.com'}/v1/me?query=${query}`)
    const me = ['data', 'me'] as const
    const name = answer.text(...me, 'displayName')
    return {
      subject: answer.text(...me, 'externalId'),
      emails: oneEmail(answer.text(...me, 'email'), true),
      claims: {
        iss: issuer,
        ...named(name),
        slug: name,
        ...pictured(answer.text(...me, 'bitmoji', 'avatar')),
      },
    }
  },
  idToken: {
    issuerOf: providerIssuers.snapchat,
    readClaims: (claims) => ({
      ...readStandardClaims(claims),
      emails: oneEmail(claims.text('email'), true),
    }),
  },
}
