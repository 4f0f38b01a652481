/** The part of the application (`app.ts`) with other hosts, and background work after responses. */
import type {
  Auth,
  AuthConfig,
  CustomizedClaims,
  DueWork,
  HookRefusal,
  HostTransaction,
  PasswordDecision,
  ProtectedResource,
  WaitUntil,
} from 'latchkey'
import {
  type AstroContext,
  type AstroMiddleware,
  type AstroRoute,
  sessionMiddleware,
  toAstro,
} from 'latchkey/astro'
import type { CookieSessions } from 'latchkey/cookies'
import { type ElysiaApp, type ElysiaContext, type ElysiaPlugin, toElysia } from 'latchkey/elysia'
import {
  type AccessLocals,
  type ExpressResourceHandler,
  type ExpressResourceRequest,
  type ExpressResourceResponse,
  protectResource as protectInExpress,
  type ResourceAuthInfo,
} from 'latchkey/express'
import {
  type HonoContext,
  type HonoHandler,
  type HonoRequest,
  type HonoResourceContext,
  type HonoResourceHandler,
  protectResource as protectInHono,
  type ResourceVariables,
  toHono,
} from 'latchkey/hono'
import {
  type Nitro2Event,
  type Nitro3Event,
  type NitroHandler,
  type NitroResourceHandler,
  protectResource as protectInNitro,
  toNitro,
} from 'latchkey/nitro'
import { type LatchkeyModule, type LatchkeyOptions, default as latchkeyInNuxt } from 'latchkey/nuxt'
import {
  type ReactRouterHandler,
  type ReactRouterMiddleware,
  type ReactRouterRequest,
  type SessionContext,
  sessionMiddleware as sessionMiddlewareOfReactRouter,
  toReactRouter,
} from 'latchkey/react-router'
import {
  handleSession,
  type SvelteKitEvent,
  type SvelteKitHandle,
  type SvelteKitHandler,
  toSvelteKit,
} from 'latchkey/sveltekit'
import {
  type TanStackStartHandlers,
  type TanStackStartHost,
  toTanStackStart,
} from 'latchkey/tanstack-start'
import {
  type DrizzleTransaction,
  drizzleTx,
  type KnexTransaction,
  type KyselyTransaction,
  knexTx,
  kyselyTx,
  type PostgresTransaction,
  type PrismaTransaction,
  postgresTx,
  prismaTx,
  type TypeormTransaction,
  typeormTx,
} from 'latchkey/transactions'
import {
  createVerifier,
  type KeySet,
  type Verifier,
  type VerifierError,
  type VerifierOptions,
} from 'latchkey/verify'

const keepRunning: WaitUntil = (work) => void work.catch(() => {})
const refuse: HookRefusal = { error: { http_code: 403, message: 'Not now' } }

export const background: AuthConfig = {
  siteUrl: 'https://app.example.com',
  background: { waitUntil: keepRunning, frozenBetweenRequests: true },
  hooks: {
    beforeUserCreated: () => refuse,
    passwordVerificationAttempt: ({ valid }): PasswordDecision =>
      valid ? { decision: 'continue' } : { decision: 'reject', should_logout_user: true },
    customAccessToken: ({ claims }): CustomizedClaims => ({ claims: { ...claims, plan: 'gold' } }),
  },
}

export async function onSchedule(auth: Auth): Promise<number> {
  const { sent, isDone }: DueWork = await auth.runDueWork({ withinSeconds: 10 })
  return isDone ? sent : -1
}

export function mountElsewhere(
  auth: () => Auth,
  sessions: () => CookieSessions,
  host: TanStackStartHost,
  context: SessionContext,
) {
  const astro: [AstroRoute, AstroMiddleware] = [toAstro(auth), sessionMiddleware(sessions)]
  const svelteKit: [SvelteKitHandler, SvelteKitHandle] = [
    toSvelteKit(auth),
    handleSession(sessions),
  ]
  const reactRouter: [ReactRouterHandler, ReactRouterMiddleware] = [
    toReactRouter(auth),
    sessionMiddlewareOfReactRouter(sessions, context),
  ]
  const tanStack: TanStackStartHandlers = toTanStackStart(auth, host)
  const hono: HonoHandler = toHono(auth)
  const nitro: NitroHandler = toNitro(auth)
  return { astro, svelteKit, reactRouter, tanStack, hono, nitro }
}

export function protectResources(resource: ProtectedResource) {
  const express: ExpressResourceHandler = protectInExpress(resource, { strict: true })
  const hono: HonoResourceHandler = protectInHono(() => resource)
  const nitro: NitroResourceHandler = protectInNitro(resource)
  return { express, hono, nitro }
}

export const accessOf = (
  request: ExpressResourceRequest,
  response: ExpressResourceResponse,
  context: HonoResourceContext,
): ResourceAuthInfo | null => {
  const { access }: AccessLocals = response.locals
  if (!request.auth) return null
  const variables: ResourceVariables = { access, auth: request.auth }
  context.set('auth', variables.auth)
  return variables.auth
}

export function mountInElysia(auth: Auth, app: ElysiaApp): ElysiaApp {
  const plugin: ElysiaPlugin = toElysia(auth)
  return plugin(app)
}

export const nuxt: LatchkeyModule = latchkeyInNuxt

export const urlsOf = (
  astro: AstroContext,
  elysia: ElysiaContext,
  reactRouter: ReactRouterRequest,
  svelteKit: SvelteKitEvent,
): string[] => [astro, elysia, reactRouter, svelteKit].map(({ request }) => request.url)

export const optionsOfNuxt: LatchkeyOptions = { basePath: '/auth', signInPath: '/sign-in' }

export const pathsOf = (hono: HonoContext, nitro2: Nitro2Event, nitro3: Nitro3Event): string[] => {
  const raw: HonoRequest = hono.req
  return [raw.raw.url, nitro2.path, nitro3.req.url]
}

export const verifierOf = (keys: KeySet): Verifier => {
  const options: VerifierOptions = { issuer: 'https://auth.example.test', jwks: keys }
  return createVerifier(options)
}

export const statusOf = ({ code }: VerifierError): number => (code === 'bad_jwt' ? 401 : 503)

export const transactionsOf = (all: {
  drizzle: DrizzleTransaction
  kysely: KyselyTransaction
  knex: KnexTransaction
  prisma: PrismaTransaction
  postgres: PostgresTransaction
  typeorm: TypeormTransaction
}): HostTransaction[] => [
  drizzleTx(all.drizzle),
  kyselyTx(all.kysely),
  knexTx(all.knex),
  prismaTx(all.prisma),
  postgresTx(all.postgres),
  typeormTx(all.typeorm),
]
