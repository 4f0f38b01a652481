import type { User } from '../../src/index.ts'
import type { MessagingAuth } from './messages.ts'
import { openBrowser } from './page-browser.ts'
import { secondFactors } from './second-factors.ts'
import { testPassword } from './test-auth.ts'

/** The role of operators in tests. */
export const operatorRole = 'supabase_admin'
export const viewerRole = 'console_viewer'

/** A browser in which a user signed in, with an authenticator app where the user enrolled one. */
export interface ConsoleBrowser extends ReturnType<typeof openBrowser> {
  user: User
  /** Returns the present code of the app. */
  code(): string
  factorId: string
}

let count = 0

/** Signs in users of the console on the pages below `/auth`. */
export function consoleBrowsers(auth: MessagingAuth) {
  const signIn = async (browser: ReturnType<typeof openBrowser>, user: User) => {
    const fields = { identifier: user.email ?? '', password: testPassword }
    const answer = await browser.submit('/auth/sign-in', 'password', fields)
    if (answer.status !== 303) throw new Error(`the sign-in returned ${answer.status}`)
    return answer
  }
  const created = (role?: string) =>
    auth.auth.admin.createUser({
      email: `person${++count}@console.test`,
      password: testPassword,
      emailConfirm: true,
      ...(role !== undefined && { role }),
    })
  /** Signs in without a second factor. */
  const weak = async (role?: string): Promise<ConsoleBrowser> => {
    const user = await created(role)
    const browser = openBrowser(auth)
    await signIn(browser, user)
    return { ...browser, user, code: () => '', factorId: '' }
  }
  /** Signs in, and enrolls and proves an authenticator app. */
  const strong = async (role?: string): Promise<ConsoleBrowser> => {
    const browser = await weak(role)
    const shown = await browser.submit('/auth/account/security', 'totp', {})
    const secret = (/class="secret">([A-Z2-7 ]+)</.exec(shown.text)?.[1] ?? '').replaceAll(' ', '')
    const factorId = /name="factor_id" value="([^"]+)"/.exec(shown.text)?.[1] ?? ''
    const code = () => secondFactors(auth).codeOf({ secret })
    const form_token = browser.tokenIn(shown.text)
    const form = new URLSearchParams({ form_token, factor_id: factorId, code: code() })
    const { status } = await browser.send(
      'POST',
      '/auth/account/security?do=totp-verify',
      `${form}`,
    )
    if (status !== 303) throw new Error(`the enrollment returned ${status}`)
    // The next code of the app.
    auth.clock.advance(30)
    return { ...browser, code, factorId }
  }
  return { weak, strong, signIn }
}
