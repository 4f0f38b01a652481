import { GoTrueClient } from '@supabase/auth-js'
import { type PageSession, pageClientOptions } from 'latchkey/client'
import type { SessionRef } from 'latchkey/vue'
import type { Ref } from 'vue'
import { type NuxtApp, useNuxtApp, useRuntimeConfig, useState } from '#imports'
import options from '#latchkey/options'
import { joinPaths } from '../join-paths.ts'
import { withoutMarks } from './without-marks.ts'

/** Null without a session, undefined while it is unknown. */
export type KnownSession = PageSession | null | undefined

/** The state in the payload only. */
export const sessionState = (): Ref<KnownSession> => useState('latchkey:session')

/** The state for components of Latchkey. */
export function providedState(): SessionRef {
  const state = sessionState()
  return {
    get value() {
      return state.value as unknown as SessionRef['value']
    },
    set value(session) {
      state.value = session === undefined ? undefined : toPageSession(session)
    },
  }
}

const clients = new WeakMap<NuxtApp, GoTrueClient>()

/** Returns the client, one for each page in the browser and each rendered page on the server. */
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

/** Returns the present session: other pages and the server may have changed it. */
export async function currentSession(): Promise<KnownSession> {
  const app = useNuxtApp()
  const state = sessionState()
  // On the server, and during hydration, the server's state is used.
  if (import.meta.server || (app.isHydrating && app.payload.serverRendered)) return state.value
  try {
    const { data } = await clientOf(app).getSession()
    state.value = toPageSession(data.session)
  } catch {
    // Without a network the former state remains.
  }
  return state.value
}

/** Returns the members of a client's session that pages use. */
export const toPageSession = (session: object | null): PageSession | null =>
  session && withoutMarks(session as PageSession)
