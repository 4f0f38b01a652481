import { KeyCloak } from 'arctic'
import { providerIssuers } from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { named, oneEmail } from './profile.ts'
import type { ArcticDefinition } from './protocol/oauth2-provider.ts'

/** Members of the user info that have a field of their own. */
const placed = ['name', 'sub', 'email', 'email_verified']

/** @see https://www.keycloak.org/securing-apps/oidc-layers */
export const keycloak: ArcticDefinition = {
  label: providerLabels.keycloak,
  endpoints: ({ url }) => ({
    authorization: `${url}/protocol/openid-connect/auth`,
    token: `${url}/protocol/openid-connect/token`,
  }),
  scopes: ['profile', 'email'],
  usesCodeVerifier: true,
  createArctic: ({ url, clientId, clientSecret, redirectUri }) =>
    new KeyCloak(`${url}`, clientId, clientSecret, redirectUri),
  async readProfile({ client, get }) {
    const user = await get(`${client.url}/protocol/openid-connect/userinfo`)
    const members = user.value()
    const others = Object.entries(isRecord(members) ? members : {}).filter(
      ([name]) => !placed.includes(name),
    )
    return {
      subject: user.text('sub'),
      emails: oneEmail(user.text('email'), user.isTrue('email_verified')),
      claims: {
        iss: client.url,
        ...named(user.text('name')),
        custom_claims: Object.fromEntries(others),
      },
    }
  },
  idToken: { issuerOf: providerIssuers.keycloak },
}
