import { createHash, randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { type Done, type Params, Strategy } from 'passport-openidconnect'
import {
  listen,
  logoutUrlOf,
  problemOf,
  refreshByForm,
  registration,
  type SignedIn,
} from './relying-party.ts'

const { issuer, clientId, clientSecret, url, scope } = registration

/** The library sends no code challenge, so the application adds it: one strategy for a sign-in. */
class WithCodeChallenge extends Strategy {
  readonly #codeChallenge: string

  constructor(verifier: string) {
    super(
      {
        issuer,
        authorizationURL: `${issuer}/oauth/authorize`,
        tokenURL: `${issuer}/oauth/token`,
        userInfoURL: `${issuer}/oauth/userinfo`,
        clientID: clientId,
        clientSecret,
        callbackURL: `${url}/cb`,
        scope: scope.split(' ').filter((name) => name !== 'openid'),
        nonce: 'required',
      },
      verify,
    )
    this.#codeChallenge = createHash('sha256').update(verifier).digest('base64url')
    const exchange = this._oauth2.getOAuthAccessToken.bind(this._oauth2)
    this._oauth2.getOAuthAccessToken = (code, parameters, done) =>
      exchange(code, { ...parameters, code_verifier: verifier }, done)
  }

  override authorizationParams(): Params {
    return { code_challenge: this.#codeChallenge, code_challenge_method: 'S256' }
  }
}

/** Returns what the library has read as the user. */
function verify(
  iss: string,
  profile: { id: string; emails?: { value: string }[] },
  _context: object,
  idToken: string,
  _accessToken: string,
  refreshToken: string,
  done: Done,
): void {
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()
  const claims = { ...JSON.parse(payload), iss }
  const userinfo = { sub: profile.id, email: profile.emails?.[0]?.value }
  done(null, { claims, userinfo, idToken, refreshToken })
}

/** The session of a browser at this application. */
interface Kept {
  verifier?: string
  signedIn?: SignedIn
}

const sessionOf = (request: express.Request): Kept =>
  (request as unknown as { session: Kept }).session

const authenticate: express.Handler = (request, response, next) => {
  const strategy = new WithCodeChallenge(sessionOf(request).verifier ?? '')
  passport.authenticate(strategy, { session: false })(request, response, next)
}

const app = express()
app.use(session({ secret: 'of a test', resave: false, saveUninitialized: true }))
app.get(
  '/login',
  (request, _response, next) => {
    sessionOf(request).verifier = randomBytes(32).toString('base64url')
    next()
  },
  authenticate,
)
app.get('/cb', authenticate, (request, response) => {
  const { user } = request as unknown as { user: SignedIn }
  sessionOf(request).signedIn = user
  response.json(user)
})
app.get('/refresh', async (request, response) => {
  const { signedIn } = sessionOf(request)
  if (!signedIn) return void response.status(401).end()
  const renewed = await refreshByForm(signedIn.refreshToken, 'client_secret_post')
  signedIn.refreshToken = renewed.refreshToken
  response.json(renewed)
})
app.get('/logout', (request, response) => {
  response.redirect(logoutUrlOf(sessionOf(request).signedIn?.idToken ?? '').href)
})
app.get('/signed-out', (request, response) => {
  response.json({ signedOut: request.query['state'] })
})
const presentProblem: express.ErrorHandler = (error, _request, response, _next) => {
  response.status(500).json(problemOf(error))
}
app.use(presentProblem)
listen(app)
