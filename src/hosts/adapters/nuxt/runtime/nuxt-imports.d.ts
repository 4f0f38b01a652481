// Declarations of the used parts of Nuxt, which applications install and this repository does not.
// `npm run test:hosts -- nuxt` compares them with Nuxt's own types.

/** Nuxt's name of its auto-imports, in the application and in its server. */
declare module '#imports' {
  import type { CookieAttributes } from 'latchkey/cookies'
  import type { ComputedRef, Ref } from 'vue'
  import type { NotedEvent, ServerEvent } from './server/server-event.ts'

  export interface Route {
    path: string
    fullPath: string
    query: Record<string, unknown>
  }
  export interface NuxtApp {
    isHydrating?: boolean
    payload: { serverRendered?: boolean }
    ssrContext?: { event: NotedEvent }
    vueApp: { use(plugin: object): void }
    hook(name: 'app:suspense:resolve', then: () => void): void
    runWithContext<T>(act: () => T): T
  }
  interface NitroApp {
    hooks: {
      hook(name: 'request' | 'beforeResponse', then: (event: NotedEvent) => void): void
      hook(name: 'close', then: () => Promise<void>): void
    }
  }

  export function abortNavigation(error: Error): unknown
  export function computed<T>(get: () => T): ComputedRef<T>
  export function createError(error: {
    statusCode: number
    statusMessage?: string
    message: string
    fatal?: boolean
    data?: unknown
    cause?: unknown
  }): Error
  export function defineEventHandler<T>(answer: T): T
  export function defineNitroPlugin(plugin: (app: NitroApp) => void): typeof plugin
  export function defineNuxtPlugin(plugin: {
    name: string
    enforce: 'pre'
    setup(app: NuxtApp): Promise<void>
  }): typeof plugin
  export function defineNuxtRouteMiddleware(middleware: (to: Route) => unknown): typeof middleware
  export function getRequestIP(event: ServerEvent): string | undefined
  export function getResponseHeader(event: ServerEvent, name: string): unknown
  export function getResponseHeaders(event: ServerEvent): Record<string, unknown>
  export function getRouteRules(event: ServerEvent): Record<string, unknown>
  export function navigateTo(
    to: string | { path: string; query: Record<string, unknown> },
    options?: { replace?: boolean; external?: boolean },
  ): unknown
  export function removeResponseHeader(event: ServerEvent, name: string): void
  export function setCookie(
    event: ServerEvent,
    name: string,
    value: string,
    attributes: CookieAttributes,
  ): void
  export function setResponseHeader(event: ServerEvent, name: string, value: string): void
  export function useError(): Ref<Error | undefined>
  export function useNuxtApp(): NuxtApp
  export function useRequestURL(): URL
  export function useRoute(): Route
  export function useRuntimeConfig(): { app: { baseURL: string } }
  export function useState<T>(key: string): Ref<T>
}

declare module '#latchkey/options' {
  const options: Required<import('latchkey/nuxt').LatchkeyOptions>
  export default options
}

/** The file of the application that creates its service. */
declare module '#latchkey/sessions' {
  const make: () => import('latchkey/cookies').CookieSessions
  export default make
}

interface ImportMeta {
  /** Whether the bundle is for the server. */
  readonly server: boolean
  /** Whether pages are prerendered during the build. */
  readonly prerender: boolean
}
