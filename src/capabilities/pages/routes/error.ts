import type { AuthError } from '../../../platform/errors/auth-error.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { linkButton } from '../components/button.ts'
import { noState, sentenceOf } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'

/** Presents an error in place of a page. */
export function presentError(page: PageRequest, error: AuthError): Answer {
  const { code, status, details } = error
  const answer = show(page, sentenceOf(page.text, code, details.retryAfterSeconds), status)
  const { retryAfterSeconds } = details
  if (retryAfterSeconds !== undefined) answer.headers['retry-after'] = String(retryAfterSeconds)
  return answer
}

function show(page: PageRequest, sentence: string, status: number): Answer {
  const { text } = page
  const isFault = status >= 500
  return presentPage(
    page,
    {
      heading: text('error.heading'),
      lead: sentence,
      status,
      body: html`${isFault && html`<p class="hint">${text('error.request')} <span class="secret">${page.ctx.request.id}</span></p>`}
<div class="stack">${linkButton(text('error.back'), pathTo(page, '/sign-in'))}</div>`,
    },
    noState,
  )
}

/**
 * The page of errors of browser flows. It shows texts of its own by the code, and no text of the
 * URL, which an attacker could have written.
 */
export const errorRoute: PageRoute = {
  path: '/error',
  replacedBy: 'error',
  show: (page) => {
    const query = page.event.url.searchParams
    return show(
      page,
      sentenceOf(page.text, query.get('error_code') ?? query.get('error') ?? ''),
      200,
    )
  },
}
