import { GoTrueClient } from '@supabase/auth-js'
import { type PageSession, pageClientOptions } from 'latchkey/client'
import type { Ref } from 'vue'
import { type NuxtApp, useNuxtApp, useRuntimeConfig, useState } from '#imports'
import options from '#latchkey/options'
import { joinPaths } from '../join-paths.ts'
import { withoutMarks } from './without-marks.ts'

/** Null where nobody is signed in, undefined as long as it is not known. */
export type KnownSession = PageSession | null | undefined

/** In the payload, and there alone. */
export const sessionState = (): Ref<KnownSession> => useState('latchkey:session')

const clients = new WeakMap<NuxtApp, GoTrueClient>()

/** One for each page in the browser, and for each that the server renders. */
export function clientOf(app: NuxtApp): GoTrueClient {
  const known = clients.get(app)
  if (known) return known
  const client = new GoTrueClient(
    pageClientOptions({
      basePath: joinPaths(useRuntimeConfig().app.baseURL, options.basePath),
      name: options.name,
      session: sessionState().value,
    }),
  )
  clients.set(app, client)
  return client
}

/** Who is signed in now: other pages and the server may have changed it. */
export async function currentSession(): Promise<KnownSession> {
  const app = useNuxtApp()
  const state = sessionState()
  // On the server, and while a page that it rendered comes alive, what it knew counts.
  if (import.meta.server || (app.isHydrating && app.payload.serverRendered)) return state.value
  try {
    const { data } = await clientOf(app).getSession()
    state.value = toPageSession(data.session)
  } catch {
    // Without a network nothing new is known.
  }
  return state.value
}

/** A session of the client has what a page is told, and more of its user. */
export const toPageSession = (session: object | null): PageSession | null =>
  session && withoutMarks(session as PageSession)
