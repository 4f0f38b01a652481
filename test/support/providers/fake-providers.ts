import { clientId, type FakeProvider, type FakeProviders, type Person } from './fake-provider.ts'

/** The member with the address, if there is one. */
const withEmail = ({ email }: Person, name = 'email') => (email === null ? {} : { [name]: email })

const picture = 'https://pictures.example/ada.png'

const linkedin = {
  authorize: '/oauth/v2/authorization',
  token: '/oauth/v2/accessToken',
  accepts: 'body',
} as const

const name = (first: string) => ({
  localized: { en_US: first },
  preferredLocale: { language: 'en', country: 'US' },
})

const slackUserInfo = (isEmailVerified: boolean) => (person: Person) => ({
  ok: true,
  sub: 'U1',
  'https://slack.com/user_id': 'U1',
  'https://slack.com/team_id': 'T1',
  ...withEmail(person),
  ...(isEmailVerified ? { email_verified: person.isVerified } : {}),
  name: 'Ada Lovelace',
  picture,
})

const tenant = '11111111-2222-3333-4444-555555555555'

const azure: FakeProvider = {
  authorize: '/oauth2/v2.0/authorize',
  token: '/oauth2/v2.0/token',
  issuer: (base) =>
    base === null ? `https://login.microsoftonline.com/${tenant}/v2.0` : `${base}/v2.0`,
  claims: (person) => ({
    sub: 'pairwise-1',
    name: 'Ada Lovelace',
    preferred_username: 'ada@example.com',
    oid: 'object-1',
    tid: tenant,
    ver: '2.0',
    rh: 'internal',
    uti: 'internal',
    aio: 'internal',
    ...withEmail(person),
    xms_edov: person.isVerified,
  }),
}

/** The responses of each provider, from its documentation. */
export const fakeProviders: FakeProviders = {
  apple: {
    authorize: '/auth/authorize',
    token: '/auth/token',
    accepts: 'body',
    issuer: () => 'https://appleid.apple.com',
    claims: (person) => ({
      sub: '001.apple.1',
      ...withEmail(person),
      email_verified: String(person.isVerified),
      is_private_email: 'true',
      auth_time: 1_700_000_000,
      nonce_supported: true,
    }),
    formFields: {
      user: '{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"forged@example.com"}',
    },
  },
  azure,
  bitbucket: {
    authorize: '/site/oauth2/authorize',
    token: '/site/oauth2/access_token',
    documents: {
      '/2.0/user': () => ({
        uuid: '{aaaa-bbbb}',
        display_name: 'Ada Lovelace',
        links: { avatar: { href: picture } },
      }),
      '/2.0/user/emails': ({ email, isVerified }) => ({
        values: [
          { email: 'old@example.com', is_confirmed: false, is_primary: false },
          ...(email === null ? [] : [{ email, is_confirmed: isVerified, is_primary: true }]),
          { email: '', is_confirmed: true, is_primary: false },
        ],
      }),
    },
  },
  discord: {
    authorize: '/api/oauth2/authorize',
    token: '/api/oauth2/token',
    documents: {
      '/api/users/@me': (person) => ({
        id: '80351110224678912',
        username: 'ada',
        discriminator: '0',
        global_name: 'Ada',
        avatar: 'a_8342729096ea3675442027381ff50dfe',
        email: person.email,
        verified: person.isVerified,
      }),
    },
  },
  facebook: {
    authorize: '/dialog/oauth',
    token: '/oauth/access_token',
    accepts: 'body',
    documents: {
      '/me': (person) => ({
        id: '1020',
        ...withEmail(person),
        first_name: 'Ada',
        last_name: 'Lovelace',
        name: 'Ada L',
        picture: { data: { url: picture, is_silhouette: false } },
      }),
    },
  },
  figma: {
    authorize: '/oauth',
    token: '/v1/oauth/token',
    tokens: () => ({ user_id_string: '777' }),
    documents: {
      '/v1/me': (person) => ({
        id: '777',
        ...withEmail(person),
        handle: 'Ada Lovelace',
        img_url: picture,
      }),
    },
  },
  fly: {
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    documents: {
      '/oauth/token/info': (person) => ({
        resource_owner_id: 'owner',
        scope: ['read'],
        expires_in: 3600,
        application: { uid: 'app' },
        created_at: 1_700_000_000,
        user_id: 'fly-1',
        user_name: 'Ada Lovelace',
        ...withEmail(person),
        organizations: [{ id: 'org', role: 'admin' }],
      }),
    },
  },
  github: {
    authorize: '/login/oauth/authorize',
    token: '/login/oauth/access_token',
    prefersForms: true,
    documents: {
      '/api/v3/user': () => ({
        id: 583_231,
        login: 'ada',
        name: 'Ada Lovelace',
        avatar_url: picture,
        email: 'public@example.com',
      }),
      '/api/v3/user/emails': ({ email, isVerified }) =>
        email === null ? [] : [{ email, verified: isVerified, primary: true, visibility: null }],
    },
  },
  gitlab: {
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    documents: {
      '/api/v4/user': ({ email, isVerified }) => ({
        id: 42,
        username: 'ada',
        name: 'Ada Lovelace',
        avatar_url: picture,
        email,
        confirmed_at: isVerified ? '2020-01-01T00:00:00.000Z' : null,
      }),
      '/api/v4/user/emails': () => [{ id: 1, email: 'other@example.com', confirmed_at: null }],
    },
  },
  google: {
    authorize: '/o/oauth2/v2/auth',
    token: '/token',
    issuer: () => 'https://accounts.google.com',
    claims: (person) => ({
      sub: '1090',
      azp: clientId,
      ...withEmail(person),
      email_verified: person.isVerified,
      name: 'Ada Lovelace',
      picture,
      hd: 'example.com',
    }),
    documents: {
      '/userinfo/v2/me': (person) => ({
        id: '1090',
        ...withEmail(person),
        verified_email: person.isVerified,
        name: 'Ada Lovelace',
        picture,
      }),
    },
  },
  kakao: {
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    accepts: 'body',
    documents: {
      '/v2/user/me': (person) => ({
        id: 123_456_789,
        kakao_account: {
          profile: { nickname: 'Ada', profile_image_url: picture },
          ...withEmail(person),
          is_email_valid: true,
          is_email_verified: person.isVerified,
        },
      }),
    },
  },
  keycloak: {
    authorize: '/protocol/openid-connect/auth',
    token: '/protocol/openid-connect/token',
    documents: {
      '/protocol/openid-connect/userinfo': (person) => ({
        sub: 'kc-1',
        name: 'Ada Lovelace',
        ...withEmail(person),
        email_verified: person.isVerified,
        groups: ['engineers'],
      }),
    },
  },
  linkedin: {
    ...linkedin,
    documents: {
      '/v2/me?projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))':
        () => ({
          id: 'li-1',
          firstName: name('Ada'),
          lastName: name('Lovelace'),
          profilePicture: {
            'displayImage~': { elements: [{ identifiers: [{ identifier: picture }] }] },
          },
        }),
      '/v2/emailAddress?q=members&projection=(elements*(handle~))': ({ email }) => ({
        elements: email === null ? [] : [{ 'handle~': { emailAddress: email } }],
      }),
    },
  },
  linkedin_oidc: {
    ...linkedin,
    issuer: () => 'https://www.linkedin.com/oauth',
    lacksNonce: true,
    claims: (person) => ({
      sub: 'li-2',
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      locale: 'en_US',
      picture,
      ...withEmail(person),
      email_verified: String(person.isVerified),
    }),
  },
  notion: {
    authorize: '/v1/oauth/authorize',
    token: '/v1/oauth/token',
    accepts: 'basic',
    requires: { 'notion-version': '2021-08-16' },
    tokens: () => ({ bot_id: 'bot', workspace_id: 'workspace' }),
    documents: {
      '/v1/users/me': (person) => ({
        object: 'user',
        id: 'bot',
        bot: {
          owner: {
            type: 'user',
            user: {
              id: 'notion-1',
              name: 'Ada Lovelace',
              avatar_url: picture,
              person: withEmail(person),
            },
          },
        },
      }),
    },
  },
  slack: {
    authorize: '/oauth/authorize',
    token: '/api/oauth.access',
    tokens: () => ({ ok: true }),
    documents: { '/api/openid.connect.userInfo': slackUserInfo(false) },
  },
  slack_oidc: {
    authorize: '/openid/connect/authorize',
    token: '/api/openid.connect.token',
    tokens: () => ({ ok: true }),
    documents: { '/api/openid.connect.userInfo': slackUserInfo(true) },
  },
  snapchat: {
    authorize: '/accounts/oauth2/auth',
    token: '/accounts/oauth2/token',
    documents: {
      '/v1/me?query={me { externalId displayName bitmoji { avatar id } email } }': (person) => ({
        data: {
          me: {
            externalId: 'CAESI/snap',
            displayName: 'Ada',
            bitmoji: { avatar: picture, id: 'b1' },
            ...withEmail(person),
          },
        },
        errors: [],
      }),
    },
  },
  spotify: {
    authorize: '/authorize',
    token: '/api/token',
    documents: {
      '/me': (person) => ({
        id: 'ada',
        display_name: 'Ada Lovelace',
        ...withEmail(person),
        images: [
          { url: 'https://pictures.example/small.png', height: 64, width: 64 },
          { url: picture, height: 300, width: 300 },
        ],
      }),
    },
  },
  twitch: {
    authorize: '/oauth2/authorize',
    token: '/oauth2/token',
    accepts: 'body',
    requires: { 'client-id': clientId },
    documents: {
      '/helix/users': (person) => ({
        data: [
          {
            id: '141981764',
            login: 'ada',
            display_name: 'Ada',
            type: '',
            broadcaster_type: 'partner',
            description: 'Numbers',
            profile_image_url: picture,
            offline_image_url: '',
            view_count: 12,
            ...withEmail(person),
          },
        ],
      }),
    },
  },
  vercel_marketplace: {
    authorize: '/oauth/v2/authorization',
    token: '/oauth/v2/accessToken',
    issuer: () => 'https://marketplace.vercel.com',
    claims: (person) => ({
      sub: 'account:a:user:u',
      global_user_id: 'g1',
      user_name: 'Ada Lovelace',
      user_avatar_url: picture,
      ...withEmail(person, 'user_email'),
    }),
  },
  workos: {
    authorize: '/sso/authorize',
    token: '/sso/token',
    accepts: 'body',
    tokens: (person) => ({
      profile: {
        id: 'prof_1',
        ...withEmail(person),
        first_name: 'Ada',
        last_name: 'Lovelace',
        connection_id: 'conn_1',
        organization_id: 'org_1',
      },
    }),
  },
  x: {
    authorize: '/i/oauth2/authorize',
    token: '/2/oauth2/token',
    accepts: 'basic',
    documents: {
      '/2/users/me': (person) => ({
        data: {
          id: '2244994945',
          name: 'Ada Lovelace',
          username: 'ada',
          profile_image_url: picture,
          url: 'https://ada.example',
          created_at: '2013-12-14T04:35:55.000Z',
          ...withEmail(person, 'confirmed_email'),
        },
      }),
    },
  },
  zoom: {
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    documents: {
      '/v2/users/me': (person) => ({
        id: 'KDcuGIm1QgePTO8WbOqwIQ',
        first_name: 'Ada',
        last_name: 'Lovelace',
        ...withEmail(person),
        login_type: 100,
        verified: Number(person.isVerified),
        pic_url: picture,
      }),
    },
  },
}
