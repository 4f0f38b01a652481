import { createHmac } from 'node:crypto'
import {
  facebookIssuer as issuer,
  providerIssuers,
} from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { joinNames, named, oneEmail, pictured } from './profile.ts'

/** @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow */
export const facebook: ProviderDefinition = {
  label: providerLabels.facebook,
  endpoints: ({ url }) => ({
    authorization: `${url ?? 'https://www.facebook.com'}/dialog/oauth`,
    token: `${url ?? 'https://graph.facebook.com'}/oauth/access_token`,
  }),
  scopes: ['email'],
  clientAuthentication: 'body',
  async readProfile({ client, tokens, get }) {
    const graph = client.url ?? 'https://graph.facebook.com'
    const me = `${graph}/me?fields=email,first_name,last_name,name,picture`
    // Facebook can be configured to accept tokens only from the server that has the secret.
    const proof = createHmac('sha256', client.clientSecret).update(tokens.accessToken).digest('hex')
    const user = await get(`${me}&appsecret_proof=${proof}`)
    const nickname = user.text('name')
    return {
      subject: user.text('id'),
      // Facebook returns confirmed addresses only.
      emails: oneEmail(user.text('email'), true),
      claims: {
        iss: me,
        ...named(joinNames(user.text('first_name'), user.text('last_name'))),
        nickname,
        slug: nickname,
        ...pictured(user.text('picture', 'data', 'url')),
      },
    }
  },
  idToken: {
    issuerOf: providerIssuers.facebook,
    lacksNonce: true,
    readClaims: (claims) => ({
      subject: claims.text('sub'),
      emails: oneEmail(claims.text('email'), true),
      claims: { iss: issuer, name: claims.text('name'), picture: claims.text('picture') },
    }),
  },
}
