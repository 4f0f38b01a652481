import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { readSlackProfile, slackApi, slackHost } from './slack-profile.ts'

/**
 * For applications from before Sign in with Slack with OpenID Connect; newer ones use `slack_oidc`.
 */
export const slack: ProviderDefinition = {
  label: 'Slack',
  endpoints: (client) => ({
    authorization: `${client.url ?? slackHost}/oauth/authorize`,
    token: `${slackApi(client)}/oauth.access`,
  }),
  scopes: ['profile', 'email', 'openid'],
  readProfile: readSlackProfile,
}
