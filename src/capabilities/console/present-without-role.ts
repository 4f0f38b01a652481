import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { html } from '../../service/pages/html.ts'
import { linkButton } from '../pages/components/button.ts'
import { noState } from '../pages/form-state.ts'
import { presentPage } from '../pages/layout.ts'
import { type PageRequest, pathTo } from '../pages/page-request.ts'
import { nameOf } from '../pages/routes/account.ts'
import { consoleText } from './texts/texts.ts'

/**
 * Presents the rejection of a user without a role of the console, with a link to the sign-in of
 * another one. It contains no part of the console. Throws any other error.
 *
 * @param back the URL of the console that the sign-in returns to.
 */
export async function presentWithoutRole(
  page: PageRequest,
  back: string,
  error: unknown,
): Promise<Answer> {
  if (!(error instanceof AuthError) || error.code !== 'not_admin') throw error
  page.event.context.errorCode = error.code
  const { main } = await page.sessions()
  const { user } = await main.requireUser({ aal: 1 })
  const t = consoleText(page.language)
  // The sign-in would redirect a user who is signed in, and suggest the account of the hint.
  const signIn = { redirect_to: back, again: '1', login_hint: undefined }
  return presentPage(
    page,
    {
      heading: t('access.heading'),
      lead: t('access.lead', { account: nameOf(page, user) }),
      status: error.status,
      body: html`<div class="stack">${linkButton(t('access.switch'), pathTo(page, '/sign-in', signIn))}</div>`,
    },
    noState,
  )
}
