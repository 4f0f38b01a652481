import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { readSlackProfile, slackApi, slackHost } from './slack-profile.ts'

/** @see https://docs.slack.dev/authentication/sign-in-with-slack/ */
export const slackOidc: ProviderDefinition = {
  label: 'Slack',
  endpoints: (client) => ({
    authorization: `${client.url ?? slackHost}/openid/connect/authorize`,
    token: `${slackApi(client)}/openid.connect.token`,
  }),
  scopes: ['profile', 'email', 'openid'],
  readProfile: readSlackProfile,
}
