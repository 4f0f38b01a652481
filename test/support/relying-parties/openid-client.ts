import * as client from 'openid-client'
import { registration, serveLibrary, signedOutUrl } from './relying-party.ts'

const { issuer, clientId, clientSecret, url, scope } = registration
// By default the library sends the secret in the body.
const authenticate = client.ClientSecretBasic(clientSecret)
const config = await client.discovery(new URL(issuer), clientId, undefined, authenticate)

serveLibrary({
  begin: async () => {
    const kept = {
      verifier: client.randomPKCECodeVerifier(),
      state: client.randomState(),
      nonce: client.randomNonce(),
    }
    const target = client.buildAuthorizationUrl(config, {
      redirect_uri: `${url}/cb`,
      scope,
      state: kept.state,
      nonce: kept.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
      code_challenge_method: 'S256',
    })
    return { url: target, kept }
  },
  finish: async (callback, { verifier, state, nonce }) => {
    const tokens = await client.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw new Error('there is no ID token')
    return {
      claims,
      userinfo: await client.fetchUserInfo(config, tokens.access_token, claims.sub),
      idToken: tokens.id_token ?? '',
      refreshToken: tokens.refresh_token ?? '',
    }
  },
  refresh: async (token) => {
    const tokens = await client.refreshTokenGrant(config, token)
    return {
      userinfo: await client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck),
      refreshToken: tokens.refresh_token ?? '',
    }
  },
  logoutUrl: (idToken) =>
    client.buildEndSessionUrl(config, {
      id_token_hint: idToken,
      post_logout_redirect_uri: signedOutUrl,
      state: 'bye',
    }),
})
