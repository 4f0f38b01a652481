import { kakaoIssuer as issuer, providerIssuers } from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail } from './profile.ts'

/** @see https://developers.kakao.com/docs/latest/en/kakaologin/rest-api */
export const kakao: ProviderDefinition = {
  label: providerLabels.kakao,
  endpoints: ({ url }) => {
    const accounts = url ?? 'https://kauth.kakao.com'
    return { authorization: `${accounts}/oauth/authorize`, token: `${accounts}/oauth/token` }
  },
  scopes: ['account_email', 'profile_image', 'profile_nickname'],
  clientAuthentication: 'body',
  async readProfile({ client, get }) {
    const api = client.url ?? 'https://kapi.kakao.com'
    const user = await get(`${api}/v2/user/me`)
    const account = 'kakao_account'
    const nickname = user.text(account, 'profile', 'nickname')
    // An address that Kakao reassigned to another user is no longer valid.
    const isVerified =
      user.isTrue(account, 'is_email_valid') && user.isTrue(account, 'is_email_verified')
    return {
      subject: user.text('id'),
      emails: oneEmail(user.text(account, 'email'), isVerified),
      claims: {
        iss: api,
        ...named(nickname),
        preferred_username: nickname,
        user_name: nickname,
        avatar_url: user.text(account, 'profile', 'profile_image_url'),
      },
    }
  },
  idToken: {
    issuerOf: providerIssuers.kakao,
    readClaims: (claims) => {
      const nickname = claims.text('nickname')
      return {
        subject: claims.text('sub'),
        // Kakao's id tokens contain confirmed and valid addresses only.
        emails: oneEmail(claims.text('email'), true),
        claims: {
          iss: issuer,
          ...named(nickname),
          preferred_username: nickname,
          user_name: nickname,
          avatar_url: claims.text('picture'),
        },
      }
    },
  },
}
