import * as oauth from 'oauth4webapi'
import { registration, serveLibrary, signedOutUrl } from './relying-party.ts'

const { clientId, clientSecret, url, scope } = registration
const issuer = new URL(registration.issuer)
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer))
const client: oauth.Client = { client_id: clientId }
const authenticate = oauth.ClientSecretBasic(clientSecret)

/** Reads the claims of a user, whose `sub` has to be that of the ID token. */
const readUserinfo = async (accessToken: string, sub: string | typeof oauth.skipSubjectCheck) => {
  const response = await oauth.userInfoRequest(server, client, accessToken)
  return oauth.processUserInfoResponse(server, client, sub, response)
}

serveLibrary({
  begin: async () => {
    const kept = {
      verifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
    }
    const target = new URL(server.authorization_endpoint ?? '')
    target.search = new URLSearchParams({
      client_id: clientId,
      redirect_uri: `${url}/cb`,
      response_type: 'code',
      scope,
      state: kept.state,
      nonce: kept.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(kept.verifier),
      code_challenge_method: 'S256',
    }).toString()
    return { url: target, kept }
  },
  finish: async (callback, { verifier, state, nonce }) => {
    const parameters = oauth.validateAuthResponse(server, client, callback, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticate,
      parameters,
      `${url}/cb`,
      verifier,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    // The signature, which the other checks do not require for a token from the token endpoint.
    await oauth.validateApplicationLevelSignature(server, response)
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    if (!claims) throw new Error('there is no ID token')
    return {
      claims,
      userinfo: await readUserinfo(tokens.access_token, claims.sub),
      idToken: tokens.id_token ?? '',
      refreshToken: tokens.refresh_token ?? '',
    }
  },
  refresh: async (token) => {
    const response = await oauth.refreshTokenGrantRequest(server, client, authenticate, token)
    const tokens = await oauth.processRefreshTokenResponse(server, client, response)
    return {
      userinfo: await readUserinfo(tokens.access_token, oauth.skipSubjectCheck),
      refreshToken: tokens.refresh_token ?? '',
    }
  },
  logoutUrl: (idToken) => {
    const target = new URL(server.end_session_endpoint ?? '')
    target.search = new URLSearchParams({
      id_token_hint: idToken,
      post_logout_redirect_uri: signedOutUrl,
      state: 'bye',
    }).toString()
    return target
  },
})
