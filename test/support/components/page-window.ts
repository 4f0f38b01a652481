import { AuthClient, type GoTrueClient } from '@supabase/auth-js'
import { pageClientOptions } from 'latchkey/client'
import type { PageSession } from 'latchkey/cookies'

/** The values that the server passes to the page. `session` is absent with a plain client. */
export interface PageState {
  /** Whether the client keeps its tokens itself, without cookies. */
  isPlain: boolean
  session?: PageSession | null
}

declare const state: PageState

/** The members of the window that tests use. */
interface TestedWindow {
  client?: GoTrueClient
  location?: { origin: string }
  document: { querySelector(selector: string): Element }
}

export const testedWindow = globalThis as unknown as TestedWindow

/** The element that contains the application. */
export const root = (): Element => testedWindow.document.querySelector('#root')

/** Returns the props of the application, which has one client for each page. */
export function propsOf(given: PageState = state) {
  const { isPlain, session } = given
  const options = isPlain
    ? { url: `${testedWindow.location?.origin ?? 'http://localhost'}/auth` }
    : pageClientOptions({ session })
  const client = new AuthClient(options as ConstructorParameters<typeof AuthClient>[0])
  testedWindow.client = client
  return { client, session }
}

export type AppProps = ReturnType<typeof propsOf>
