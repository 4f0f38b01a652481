import { askInCookieMode } from './held-session.ts'

/**
 * Signs out at the server before the client reports it. To end the session of one browser, the
 * client itself deletes its session, notifies other tabs, and sends the request last. Scripts
 * cannot delete the cookies, so pages rendered in between would still have the session.
 */
export interface EarlySignOut {
  begin(accessToken: string): Promise<void>
  /** Returns the response that was received already; null for any other request. */
  answerTo(target: unknown, init: RequestInit | undefined): Response | null
}

export function createEarlySignOut(serviceUrl: string): EarlySignOut {
  const url = `${serviceUrl}/logout?scope=local`
  const answers = new Map<string, Response>()
  return {
    begin: async (accessToken) => {
      const authorization = `Bearer ${accessToken}`
      const init = { method: 'POST', headers: { authorization } }
      // After a failure, the client's own request reports the error.
      const answer = await askInCookieMode(url, init).catch(() => null)
      if (answer) answers.set(authorization, answer)
    },
    answerTo: (target, init) => {
      if (target !== url) return null
      const authorization = new Headers(init?.headers).get('authorization') ?? ''
      const answer = answers.get(authorization) ?? null
      answers.delete(authorization)
      return answer
    },
  }
}
