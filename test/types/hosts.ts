/** The part of the application (`app.ts`) that other hosts mount, and what goes on after their answers. */
import type {
  Auth,
  AuthConfig,
  CustomizedClaims,
  DueWork,
  HookRefusal,
  PasswordDecision,
  WaitUntil,
} from 'latchkey'
import {
  type AstroContext,
  type AstroMiddleware,
  type AstroRoute,
  type Mountable,
  type MountedService,
  sessionMiddleware,
  toAstro,
} from 'latchkey/astro'
import type { CookieSessions } from 'latchkey/cookies'
import { type ElysiaApp, type ElysiaContext, type ElysiaPlugin, toElysia } from 'latchkey/elysia'
import {
  type LatchkeyModule,
  type LatchkeyOptions,
  default as latchkeyInNuxt,
  type SetUpModule,
} from 'latchkey/nuxt'
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
  service: Mountable<MountedService>,
  sessions: () => CookieSessions,
  host: TanStackStartHost,
  context: SessionContext,
) {
  const astro: [AstroRoute, AstroMiddleware] = [toAstro(service), sessionMiddleware(sessions)]
  const svelteKit: [SvelteKitHandler, SvelteKitHandle] = [
    toSvelteKit(service),
    handleSession(sessions),
  ]
  const reactRouter: [ReactRouterHandler, ReactRouterMiddleware] = [
    toReactRouter(service),
    sessionMiddlewareOfReactRouter(sessions, context),
  ]
  const tanStack: TanStackStartHandlers = toTanStackStart(service, host)
  return { astro, svelteKit, reactRouter, tanStack }
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

export const optionsOfNuxt = (setUp: SetUpModule, options: LatchkeyOptions) => ({ setUp, options })
