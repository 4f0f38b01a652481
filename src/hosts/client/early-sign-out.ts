import { askInCookieMode } from './held-session.ts'

/**
 * Signs out before the client says that it has. To end the session of one browser, the client forgets it, tells the other tabs, and asks
 * the server last: no script can remove the cookies, so pages that are rendered in between would still be those of who has left.
 */
export interface EarlySignOut {
  begin(accessToken: string): Promise<void>
  /** What the server has answered already; null for any other request. */
  answerTo(target: unknown, init: RequestInit | undefined): Response | null
}

export function createEarlySignOut(serviceUrl: string): EarlySignOut {
  const url = `${serviceUrl}/logout?scope=local`
  const answers = new Map<string, Response>()
  return {
    begin: async (accessToken) => {
      const authorization = `Bearer ${accessToken}`
      const init = { method: 'POST', headers: { authorization } }
      // Where it fails, the client's own attempt says so.
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
