import type { PresentError } from '../../../endpoints/http/error-pages.ts'
import type { AuthError } from '../../../platform/errors/auth-error.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { sameOriginOnly } from '../../../platform/http/cors.ts'
import { describeFault } from '../../../platform/observability/describe-fault.ts'
import { isLogged } from '../../../platform/observability/logged-faults.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { linkButton } from '../components/button.ts'
import { noState, sentenceOf, sentenceOfError } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { openPage, type PageRequest, pathTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import type { PagesHost } from '../pages-host.ts'

/** Presents an error in place of a page. */
export function presentError(page: PageRequest, error: AuthError): Answer {
  const { status, details } = error
  const sentence =
    details.oauthError === undefined
      ? sentenceOfError(page.text, error)
      : page.text('error.bad_request')
  const isTemporary = status >= 500 || status === 429
  const again = isTemporary ? urlAgain(page) : null
  return withRetryAfter(error, show(page, sentence, { status, again }))
}

/**
 * Presents an error of an endpoint that a browser opened, by a link or as an application requested.
 * Developers read the message.
 */
export const endpointErrorPresenter =
  (host: PagesHost): PresentError =>
  (event, error, thrown) => {
    sameOriginOnly(event)
    const page = openPage(host, event)
    const { status, code, message } = error
    logFault(page, error, thrown, 'request failed')
    if (status >= 500 || status === 429 || code === 'not_found') return presentError(page, error)
    const { text } = page
    const sentence =
      code === 'validation_failed' ? text('error.bad_request') : sentenceOfError(text, error)
    const forDevelopers = html`<p class="hint">${text('error.developer')} <span class="secret" lang="en" dir="ltr">${message}</span></p>`
    return withRetryAfter(error, present(page, sentence, status, forDevelopers))
  }

/** Logs the cause of a fault, with the id that the page shows. */
export function logFault(
  { host, ctx }: PageRequest,
  known: AuthError,
  thrown: unknown,
  message = 'page failed',
): void {
  if (isLogged(thrown) || known.status < 500 || (known === thrown && known.cause === undefined))
    return
  const fields = { requestId: ctx.request.id, fault: describeFault(thrown) }
  host.deps.logger.error(fields, message)
}

/** Sets the header of a response to an error that names a time. */
export function withRetryAfter(
  { details: { retryAfterSeconds } }: AuthError,
  answer: Answer,
): Answer {
  if (retryAfterSeconds !== undefined) answer.headers['retry-after'] = String(retryAfterSeconds)
  return answer
}

/** Returns the URL of the page or form, relative to it; null for a form without a page. */
function urlAgain({ event: { req, url } }: PageRequest): string | null {
  const query = new URLSearchParams(url.search)
  if (req.method !== 'GET' && !query.has('do')) return null
  query.delete('do')
  return `?${query}`
}

function show(
  page: PageRequest,
  sentence: string,
  { status, again }: { status: number; again: string | null },
): Answer {
  const { text } = page
  const isFault = status >= 500
  return present(
    page,
    sentence,
    status,
    html`${isFault && html`<p class="hint">${text('error.request')} <span class="secret">${page.ctx.request.id}</span></p>`}
<div class="stack">${again !== null && linkButton(text('error.again'), again)}${linkButton(
      text('error.back'),
      pathTo(page, '/sign-in'),
      again === null ? 'primary' : 'quiet',
    )}</div>`,
  )
}

const present = (page: PageRequest, lead: string, status: number, body: Markup): Answer =>
  presentPage(page, { heading: page.text('error.heading'), lead, status, body }, noState)

/**
 * The page of errors of browser flows. It shows texts of its own by the code, and no text of the
 * URL, which an attacker could have written.
 */
export const errorRoute: PageRoute = {
  path: '/error',
  replacedBy: 'error',
  show: (page) => {
    const query = page.event.url.searchParams
    return show(page, sentenceOf(page.text, query.get('error_code') ?? query.get('error') ?? ''), {
      status: 200,
      again: null,
    })
  },
}
