/**
 * An application that uses the whole public API, with its parts beside it, written against the
 * types. It is never run: the compiler reads it with the rest of this repository, and
 * `npm run packed` with the package.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  type AccessTokenClaims,
  type AdminApi,
  type AttemptDecision,
  type AuditAction,
  type AuditedUser,
  type AuditRecord,
  type Auth,
  type AuthApi,
  type AuthConfig,
  AuthError,
  type AuthErrorCode,
  type AuthErrorDetails,
  type BanUserInput,
  type BearerInput,
  type CallOptions,
  type ClaimedViewer,
  ConfigError,
  type ConfigProblem,
  type CreateUserInput,
  createAuth,
  type DeleteOwnUserInput,
  type DeleteUserInput,
  type ExchangeCodeInput,
  type ExportedPerson,
  type FollowLinkInput,
  type GeneratedLink,
  type GeneratedLinkType,
  type GenerateLinkInput,
  type HostLogger,
  type Identity,
  type IdentityToImport,
  type ImportProgress,
  type ImportRefusal,
  type ImportReport,
  type ImportUsersInput,
  type InviteUserInput,
  type LinkOptions,
  type ListAuditInput,
  type ListedAudit,
  type ListedUsers,
  type ListUsersInput,
  type Logger,
  type MessagePreview,
  type OutboxApi,
  type OutboxFilter,
  type OutboxRecord,
  type OutboxStatus,
  type OutgoingSms,
  type PasswordSignInResult,
  type PersonExport,
  type ProofType,
  type ProtectedResource,
  type ProtectedResourceOptions,
  type ProviderAccessToken,
  type RedirectDecision,
  type RedirectRefusal,
  type RequestLike,
  type RequiredAccess,
  type RequiredAssurance,
  type RequiredScopes,
  type ResendInput,
  type ResendType,
  type ResetPasswordInput,
  type ResourceAccess,
  type ResourceMetadata,
  type ResourceRequest,
  type SendEmailPayload,
  type SendSmsPayload,
  type SentMessage,
  type SessionInfo,
  type SessionTokens,
  type SignInResult,
  type SignInWithOtpInput,
  type SignInWithPasswordInput,
  type SignOutInput,
  type SignOutScope,
  type SignUpInput,
  type SignUpResult,
  type StepUpAction,
  type UpdateOwnUserInput,
  type UpdateUserInput,
  type User,
  type UserLookUp,
  type UserToImport,
  type VerifyOtpInput,
  type VerifyOtpResult,
  type Viewer,
  type WeakPasswordReason,
} from 'latchkey'
import { type PageClientInput, type PageClientOptions, pageClientOptions } from 'latchkey/client'
import {
  type CookieAttributes,
  type CookieJar,
  type CookieRequest,
  type CookieSessionOptions,
  type CookieSessions,
  createCookieSessions,
  type FinishFlowOptions,
  type FlowRequest,
  type OpenSessionOptions,
  type PageSession,
  type ReadingApi,
  type RequestSession,
  type ServerClientOptions,
  type SessionApi,
  type SignedInViewer,
} from 'latchkey/cookies'
import {
  type EntitiesOptions,
  type LatchkeyEntities,
  type LatchkeyUser,
  latchkeyEntities,
} from 'latchkey/entities'
import { type ExpressHandler, type ExpressRequest, toExpress } from 'latchkey/express'
import {
  type FastifyPlugin,
  type FastifyReply,
  type FastifyRequest,
  type FastifyScope,
  toFastify,
} from 'latchkey/fastify'
import { type KoaContext, type KoaMiddleware, toKoa } from 'latchkey/koa'
import {
  type FormAction,
  type FormFields,
  type FormState,
  formActions,
  type NextCookies,
  type NextHandler,
  type NextHandlers,
  type NextRequestState,
  openSession,
  type ReadableSession,
  readSession,
  renewSession,
  toNext,
} from 'latchkey/next'
import { type NodeHandler, toNode } from 'latchkey/node'
import latchkeyModule, { type LatchkeyModule, type LatchkeyOptions } from 'latchkey/nuxt'
import { createSharedAuth, type SharedAuth, type SharedAuthOptions } from 'latchkey/shared'
import {
  formatSql,
  type LoadedSqlFormatterConfig,
  loadSqlFormatterConfig,
  type SqlCasing,
  SqlFormatError,
  type SqlFormatterConfig,
  SqlFormatterConfigError,
  SqlFormatterMissingError,
  type SqlFormatterProblem,
  type SqlLanguage,
  type SqlParamTypes,
  validateSqlFormatterConfig,
} from 'latchkey/sql'
import {
  createSubscribePages,
  type ListManager,
  type NewSubscriberList,
  type SubscribePages,
  SubscribePagesError,
  type SubscribePagesOptions,
  type SubscriberList,
} from 'latchkey/subscribe-pages'
import {
  type AwaitedMail,
  createTestAuth,
  type Mailbox,
  type MailboxMail,
  openMailbox,
  type SignedIn,
  type SignedInOptions,
  type TestAuth,
  type TestClock,
  type TestFactor,
  type TestFactorType,
  type TestMail,
} from 'latchkey/testing'

const write = (fields: object, message: string): void => console.log(message, fields)
const hostLogger: HostLogger = console
const logger: Logger = { debug: write, info: write, warn: write, error: write, fatal: write }

const sendSms = async ({ id, to, text }: OutgoingSms) => {
  write({ id, to }, text)
  return { messageId: id }
}
const sendMail = ({ metadata, user, email_data }: SendEmailPayload): void =>
  write({ id: metadata.uuid, to: user.email }, `Your code is ${email_data.token}`)
const onlyKnown = async (payload: SendSmsPayload) =>
  payload.sms.phone === payload.user.phone ? {} : { error: { http_code: 403, message: 'No' } }

const tooOften: AttemptDecision = { decision: 'reject', message: 'Too often' }

const config: AuthConfig = {
  siteUrl: 'https://app.example.com',
  externalUrl: process.env.API_EXTERNAL_URL,
  basePath: '/auth',
  logger: process.env['VERBOSE'] ? hostLogger : logger,
  database: { url: process.env.DATABASE_URL, schema: 'auth', maxPoolSize: 10 },
  jwt: { secret: process.env.JWT_SECRET, lifetimeSeconds: 3600 },
  passwords: { minLength: 10 },
  email: { autoconfirm: true },
  providers: { github: { clientId: 'id', clientSecret: process.env.GITHUB_SECRET } },
  sms: { send: sendSms, allowedPrefixes: ['+49'] },
  hooks: {
    sendEmail: sendMail,
    sendSms: onlyKnown,
    beforeUserCreated: ({ user }) => write({ user }, 'new'),
    // @ts-expect-error a slip of a decision: it would be answered 500 at the first attempt.
    passwordVerificationAttempt: () => ({ decision: 'deny' }),
    mfaVerificationAttempt: ({ valid }) => (valid ? undefined : tooOften),
  },
  redirects: { allowList: ['https://*.example.com/**'], onDenied: 'reject' },
}

export function start(): Auth {
  try {
    return createAuth(config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems: readonly ConfigProblem[] = error.problems
    throw new Error(problems.map(({ path, message }) => `${path} ${message}`).join('\n'))
  }
}

export async function mount(auth: Auth): Promise<void> {
  const onNode: NodeHandler = toNode(auth)
  const onExpress: ExpressHandler = toExpress(auth)
  const next = (error?: unknown) => void error
  createServer(onNode).listen(8081)
  createServer((request: ExpressRequest, response) => onExpress(request, response, next))
  createServer((request: IncomingMessage, response: ServerResponse) => onNode(request, response))

  const onFastify: FastifyPlugin = toFastify(auth)
  const onKoa: KoaMiddleware = toKoa(auth)
  const registerIn = (scope: FastifyScope) => onFastify(scope, {}, () => {})
  const noteReply = (request: FastifyRequest, reply: FastifyReply) => [request.raw, reply.raw]
  const useIn = (context: KoaContext) => onKoa(context, () => Promise.resolve())
  console.log(registerIn.length, noteReply.length, useIn.length)

  await auth.ready()
  console.log((await auth.mailboxUrl())?.toLowerCase())
  const answer: Response = await auth.fetch(new Request('http://a.test'), { ip: '203.0.113.1' })
  const same: Response = await auth.app.fetch(new Request('http://a.test'))
  console.log(answer.status, same.status)
  await auth.close()
}

export async function visit(api: AuthApi, options: CallOptions): Promise<User> {
  const credentials: SignInWithPasswordInput = {
    email: 'ada@example.com',
    password: 'correct horse',
  }
  const input: SignUpInput = { ...credentials, data: { name: 'Ada' } }
  const signedUp: SignUpResult = await api.signUp(input, options)
  const session: SessionTokens | null = signedUp.session
  if (!session) return signedUp.user

  const signedIn: PasswordSignInResult = await api.signInWithPassword(credentials)
  const weak: readonly WeakPasswordReason[] = signedIn.weakPassword?.reasons ?? []
  const { refreshToken, accessToken, expiresAt, expiresInSeconds, id } = signedIn.session
  console.log(weak.join(), expiresAt.toISOString(), expiresInSeconds.toFixed(), id)

  const refreshed: SignInResult = await api.refreshSession({ refreshToken }, { userAgent: 'app' })
  const update: UpdateOwnUserInput = { accessToken, data: { name: null }, password: 'other horse' }
  await api.updateUser(update, { ip: '203.0.113.1', requestId: 'r1' })
  const user = await api.getUser({ accessToken: refreshed.session.accessToken })
  const scope: SignOutScope = 'others'
  const ending: SignOutInput = { accessToken, scope }
  await api.signOut(ending)
  const decision: RedirectDecision = await api.explainRedirect('https://app.example.com/home')
  const reason: RedirectRefusal | null = decision.allowed ? null : decision.reason
  console.log(reason?.toUpperCase())
  return user
}

export async function prove(api: AuthApi, token: string): Promise<string> {
  const link: LinkOptions = {
    redirectTo: 'https://app.example.com/in',
    codeChallengeMethod: 's256',
    codeChallenge: process.env.CHALLENGE,
  }
  const email = 'ada@example.com'
  const requested: SignInWithOtpInput = { ...link, email, createUser: false, data: { name: 'Ada' } }
  const { messageId }: SentMessage = await api.signInWithOtp(requested, { languages: ['de'] })
  const resetInput: ResetPasswordInput = { ...link, email }
  await api.resetPasswordForEmail(resetInput)
  const type: ResendType = 'email_change'
  const again: ResendInput = { type, email }
  await api.resend(again)

  const code: VerifyOtpInput = { type: 'email', email, token: '123456' }
  const proved: VerifyOtpResult = await api.verifyOtp(code)
  const what: ProofType = proved.type
  const followed: FollowLinkInput = { type: 'magiclink', token, redirectTo: link.redirectTo }
  const { redirectTo } = await api.followLink(followed)
  const exchange: ExchangeCodeInput = { authCode: redirectTo, codeVerifier: token }
  const { session, user } = await api.exchangeCodeForSession(exchange)
  const bearer: BearerInput = { accessToken: proved.session?.accessToken ?? session.accessToken }
  const nonce: SentMessage = await api.reauthenticate(bearer)
  const github: ProviderAccessToken = await api.getProviderToken({ ...bearer, provider: 'github' })
  console.log(github.expiresAt?.toISOString(), github.scopes?.join(), github.accessToken)
  await api.updateUser({ ...bearer, phone: '+4915550', channel: 'whatsapp', nonce: '123456' })
  const farewell: DeleteOwnUserInput = { ...bearer, password: 'correct horse' }
  await api.deleteUser(farewell)
  return [messageId, nonce.messageId, what, user.id].join()
}

export async function operate(admin: AdminApi): Promise<Identity[]> {
  const input: CreateUserInput = { email: 'grace@example.com', emailConfirm: true, role: 'editor' }
  const changes: UpdateUserInput = { banDuration: '24h', appMetadata: { plan: 'free' } }
  const { id } = await admin.createUser(input)
  const changed = await admin.updateUser(id, changes)
  const user: User = await admin.getUser(id, { requestId: 'r2' })
  const bannedUntil: Date | null = changed.bannedUntil
  console.log(bannedUntil?.toISOString(), user.email?.toLowerCase(), user.phone?.length)
  const lookUp: UserLookUp = { identity: { provider: 'github', subject: '583231' } }
  const found: User | null = await admin.findUser(lookUp)
  const listUsersInput: ListUsersInput = { filter: 'ada', order: 'asc', limit: 100, cursor: null }
  const { users, nextCursor }: ListedUsers = await admin.listUsers(listUsersInput)
  const ban: BanUserInput = { duration: '24h' }
  await admin.banUser(id, ban)
  await admin.unbanUser(id)
  const [session]: SessionInfo[] = await admin.listSessions(id)
  if (session) await admin.revokeSession(id, session.id)
  await admin.signOut(id)
  const deletion: DeleteUserInput = { soft: true }
  await admin.deleteUser(id, deletion)
  const exporting: PersonExport = await admin.exportUser(id)
  const stored: ExportedPerson = await exporting.read()
  for await (const part of exporting) console.log(part.length)
  const [sent] = stored.messages
  console.log(stored.user?.newEmail, stored.sessions[0]?.userAgent, sent?.recipient)
  await admin.eraseUser(id)
  const auditQuery: ListAuditInput = { query: 'action:login', cursor: nextCursor }
  const { entries }: ListedAudit = await admin.listAudit(auditQuery)
  const [entry]: AuditRecord[] = entries
  const action: AuditAction | undefined = entry?.action
  const actor: AuditedUser | null = entry?.actor ?? null
  console.log(found?.id, users.length, action, actor?.fullName)
  const identities: IdentityToImport[] = [{ provider: 'github', subject: '583231' }]
  const moved: UserToImport = { email: 'joan@example.com', createdAt: new Date(), identities }
  const importInput: ImportUsersInput = {
    onProgress: (progress: ImportProgress) => console.log(progress.imported),
    onRefused: ({ place, field }: ImportRefusal) => console.log(place, field),
  }
  const report: ImportReport = await admin.importUsers([moved], importInput)
  console.log(report.refusals.map(({ code, message }) => `${code}: ${message}`))
  const invitation: InviteUserInput = { email: 'alan@example.com', data: { team: 'x' } }
  const invited: User = await admin.inviteUser(invitation, { languages: ['fr'] })
  const type: GeneratedLinkType = 'recovery'
  const wanted: GenerateLinkInput = { type, email: 'grace@example.com', sendEmail: true }
  const link: GeneratedLink = await admin.generateLink(wanted)
  console.log(link.actionLink, link.emailOtp, link.hashedToken, link.verificationType)
  return [...user.identities, ...invited.identities, ...link.user.identities]
}

export async function lookAfter(outbox: OutboxApi): Promise<OutboxStatus[]> {
  const filter: OutboxFilter = { status: 'failed', limit: 20 }
  const failed: OutboxRecord[] = await outbox.list(filter)
  for (const { id, expiresAt, lastError } of failed) {
    const preview: MessagePreview = await outbox.preview(id)
    console.log('payload' in preview ? preview.payload : preview.text, lastError?.length)
    if (expiresAt === null || expiresAt > new Date()) await outbox.retry(id)
  }
  return (await outbox.list()).map(({ status }) => status)
}

export async function guard(auth: Auth, request: IncomingMessage): Promise<string> {
  const likes: RequestLike[] = [
    request,
    new Request('http://a.test'),
    { headers: new Headers() },
    { req: new Request('http://a.test') },
  ]
  for (const like of likes) {
    const viewer: Viewer = await auth.requireUser(like)
    const claims: AccessTokenClaims = viewer.claims
    const strong: boolean = viewer.aal === 'aal2'
    console.log(viewer.user.id, viewer.sessionId?.length, strong, claims.sub, claims.exp?.toFixed())
  }
  const recently: RequiredAssurance = { aal: 2, within: '5m' }
  const proved: Viewer = await auth.requireUser(request, recently)
  const same: Viewer = await auth.requireUser(request, { strict: true, within: '1h30m' })
  const claimed: ClaimedViewer = await auth.requireUser(request, { ...recently, strict: false })
  console.log(proved.user.id, same.user.id, claimed.userId)
  const scopes: RequiredScopes = { scope: ['invoice:read'] }
  const ofClient: Viewer = await auth.requireUser(request, scopes)
  console.log(ofClient.user.id)
  const { aud, role, app_metadata: metadata } = await auth.verifyToken('a.b.c')
  return [aud, role, JSON.stringify(metadata)].flat().join()
}

export async function serveInvoices(
  auth: Auth,
  request: Request & ResourceRequest,
): Promise<Response> {
  const options: ProtectedResourceOptions = { resource: 'https://a.test/b', scopes: ['b:read'] }
  const invoices: ProtectedResource = auth.protectedResource(options)
  const metadata: ResourceMetadata = invoices.metadata
  const required: RequiredAccess = { scope: 'b:read', strict: true }
  const access: ResourceAccess | Response = await invoices.protect(request, required)
  if (access instanceof Response) return access
  console.log(
    metadata.scopes_supported,
    invoices.metadataUrl,
    invoices.metadataPath,
    access.scopes,
    access.clientId,
  )
  return invoices.verify(request).then(
    ({ userId }) => Response.json({ userId }),
    (error: unknown) => invoices.reject(error),
  )
}

export function explain(error: unknown): string {
  if (!(error instanceof AuthError)) throw error
  const code: AuthErrorCode = error.code
  const details: AuthErrorDetails = error.details
  const next: StepUpAction | undefined = details.stepUp
  if (next) return { enroll: '/factors/new', verify: '/factors', sign_in: '/sign-in' }[next]
  switch (code) {
    case 'weak_password':
      return details.weakPasswordReasons?.join() ?? ''
    case 'service_unavailable':
      return `again in ${details.retryAfterSeconds} s`
    default:
      return `${error.status} ${error.message}`
  }
}

export function readByOrm(place: EntitiesOptions): [LatchkeyUser, string[]] {
  const { User, schemaGenerator }: LatchkeyEntities = latchkeyEntities(place)
  return [new User(), schemaGenerator.skipTables]
}

export async function tidy(text: string, language: SqlLanguage): Promise<string> {
  const found: LoadedSqlFormatterConfig | null = await loadSqlFormatterConfig('.')
  const keywordCase: SqlCasing = 'upper'
  const paramTypes: SqlParamTypes = { named: [':'], custom: [{ regex: '%s' }] }
  const config: SqlFormatterConfig = found?.config ?? { language, keywordCase, paramTypes }
  const problems: SqlFormatterProblem[] = await validateSqlFormatterConfig(config)
  for (const { path, kind, message } of problems) console.log(path, kind === 'use', message)
  try {
    return await formatSql(text, config)
  } catch (error) {
    if (error instanceof SqlFormatterConfigError) console.log(error.problems.length)
    if (error instanceof SqlFormatError) console.log(error.message)
    if (error instanceof SqlFormatterMissingError) console.log(error.cause)
    return text
  }
}

export function extendNuxt(): [LatchkeyModule, LatchkeyOptions] {
  return [latchkeyModule, { basePath: '/auth', signInPath: '/sign-in' }]
}

export function shareService(): Auth {
  const options: SharedAuthOptions = { name: 'staff', cookies: { name: 'staff' } }
  const { auth, sessions }: SharedAuth = createSharedAuth(() => ({ siteUrl: siteOfStaff }), options)
  console.log(sessions.basePath)
  return auth
}
const siteOfStaff = 'https://app.example.com'

export function serveNext(sessions: CookieSessions, next: NextRequestState): NextHandlers {
  const handlers: NextHandlers = toNext(() => sessions)
  const GET: NextHandler = handlers.GET
  const shown: Promise<ReadableSession> = readSession(() => sessions, next)
  const changed: Promise<RequestSession> = openSession(() => sessions, next)
  const jar: Promise<NextCookies> = next.cookies()
  const reading: Promise<ReadingApi> = shown.then(({ api }) => api)
  const signUp: FormAction<{ email: string }> = formActions(
    sessions,
    next,
  )(async ({ api }, fields: FormFields) => {
    const { email = '', password = '' } = fields
    await api.signUp({ email, password })
    return { email }
  })
  const state: Promise<FormState<{ email: string }>> = signUp({}, new FormData())
  const proxy = (request: Request): Promise<Response> =>
    renewSession(
      () => sessions,
      request,
      (session, headers) => Response.json(session?.viewer?.userId, { headers }),
    )
  console.log(shown, changed, jar, proxy.length, reading, state)
  return { ...handlers, HEAD: GET }
}

export async function render(auth: Auth, request: Request, jar: CookieJar): Promise<Response> {
  const where: CookieSessionOptions = { origin: 'https://app.example.com', name: 'acme' }
  const sessions: CookieSessions = createCookieSessions(auth, where)
  const opening: OpenSessionOptions = { jar, renew: true, ip: '203.0.113.7' }
  const seen: CookieRequest = request
  const session: RequestSession = await sessions.open(seen, opening)
  const viewer: SignedInViewer | null = session.viewer
  const api: SessionApi = session.api
  const owner: User = await api.getUser()
  const finishing: FinishFlowOptions = { to: '/account', failed: '/sign-in' }
  const flow: FlowRequest = { headers: {}, url: '/callback', method: 'GET' }
  const finished: Promise<Response> = sessions.finishFlow(flow, finishing)
  console.log(owner.email, finished)
  const page: PageSession | null = session.forPage()
  const onServer: ServerClientOptions = session.clientOptions()
  const { basePath, name } = sessions
  const input: PageClientInput = { basePath, name, session: page }
  const inPage: PageClientOptions = pageClientOptions(input)
  const attributes: CookieAttributes = {
    path: '/',
    secure: true,
    httpOnly: true,
    sameSite: 'lax',
    maxAge: 60,
  }
  jar.set('theme', onServer.storageKey + inPage.url, attributes)
  createServer(toNode(sessions))
  if (!viewer) return sessions.fetch(request)
  const response = new Response(viewer.claims.email)
  session.addHeaders(response.headers)
  return response
}

export async function keepPages(
  auth: Auth,
  list: NewSubscriberList,
): Promise<[ExpressHandler, NodeHandler, SubscriberList | string]> {
  const options: SubscribePagesOptions = { auth, cors: { origins: ['https://app.example.test'] } }
  const pages: SubscribePages = createSubscribePages(options)
  const lists: ListManager = pages.lists
  const made = await lists.create(list).catch((error: unknown) => {
    if (!(error instanceof SubscribePagesError)) throw error
    return `${error.status} ${Object.keys(error.violations ?? {})}`
  })
  return [toExpress(pages), toNode(pages), made]
}

export async function tryOut(who: SignedInOptions, type: TestFactorType): Promise<string> {
  const test: TestAuth = await createTestAuth()
  const clock: TestClock = test.clock
  const signedIn: SignedIn = await test.signedIn({ ...who, factors: [type] })
  clock.advance('30s')
  const factor: TestFactor | undefined = signedIn.factors[0]
  const mail: TestMail | undefined = (await test.mails())[0]
  const [message] = await test.textMessages()
  const code: string | null | undefined = (await factor?.code()) ?? message?.code
  await test.reset()
  await test.close()
  return `${mail?.link} ${code} ${signedIn.headers.authorization}`
}

export async function readCode(mailboxUrl: string, awaited: AwaitedMail): Promise<string | null> {
  const mailbox: Mailbox = await openMailbox(mailboxUrl)
  const mail: MailboxMail = await mailbox.next(awaited)
  return mail.code
}

// Mistakes that the compiler finds.

// @ts-expect-error an unknown setting
createAuth({ sitUrl: 'https://app.example.com' })

// @ts-expect-error a setting of another type
createAuth({ passwords: { minLength: 'ten' } })

// @ts-expect-error an error that there is not
export const unknownCode: AuthErrorCode = 'no_such_code'

// @ts-expect-error a password is needed
export const withoutPassword: SignInWithPasswordInput = { email: 'ada@example.com' }

// @ts-expect-error a level that there is not
export const thirdLevel: RequiredAssurance = { aal: 3 }

// @ts-expect-error a duration without a unit
export const withoutUnit: RequiredAssurance = { within: 300 }

// @ts-expect-error an option that there is not
export const misspelled: RequiredAssurance = { withn: '5m' }

// @ts-expect-error a language under another name
export const alias: SqlLanguage = 'tsql'
