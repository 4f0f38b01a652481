import type {
  ExternalProfile,
  JsonReader,
  ProviderClient,
  ProviderVisit,
} from '../config/sections/provider-definition.ts'
import { named, oneEmail, pictured } from './profile.ts'

export const slackHost = 'https://slack.com'

export const slackApi = ({ url }: ProviderClient): string => `${url ?? slackHost}/api`

/**
 * What both of Slack's ways to sign in read.
 *
 * @param isVerified whether the address is proved, by what Slack said.
 */
export async function readSlackProfile(
  { client, get }: ProviderVisit,
  isVerified: (user: JsonReader) => boolean,
): Promise<ExternalProfile> {
  const api = slackApi(client)
  const user = await get(`${api}/openid.connect.userInfo`)
  const team = 'https://slack.com/team_id'
  return {
    subject: user.text('https://slack.com/user_id'),
    emails: oneEmail(user.text('email'), isVerified(user)),
    claims: {
      iss: api,
      ...named(user.text('name')),
      ...pictured(user.text('picture')),
      custom_claims: { [team]: user.text(team) ?? '' },
    },
  }
}
