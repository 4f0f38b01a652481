import { AuthError } from '../../../platform/errors/auth-error.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { linkButton } from '../components/button.ts'
import { noState, sentenceOf } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { endFlow, hasFlow, type StartedFlow } from '../pre-session.ts'
import { requiredStep } from '../required-step.ts'

/**
 * The end of mailed links and of flows through providers. A code is exchanged only in the browser
 * that has started the flow, which has its code verifier.
 */
export const completeRoute: PageRoute = {
  path: '/sign-in/complete',
  show: async (page) => {
    const query = page.event.url.searchParams
    const failure = query.get('error_code') ?? query.get('error')
    const isHalfway = failure === null && query.has('message')
    if (isHalfway) return presentHalfway(page, query.get('flow') ?? undefined)
    const flow = endFlow(page.pre, query.get('flow') ?? undefined)
    if (failure !== null)
      return presentFailure(page, { code: failure, stepUp: query.get('step_up') }, flow)
    const code = query.get('code')
    if (code === null || flow === null) return presentConfirmed(page, page.text('complete.lead'))
    try {
      const input = { authCode: code, codeVerifier: flow.verifier }
      const issued = await page.host.api.exchangeCodeForSession(input, page.options)
      if (flow.kind === 'recovery')
        return await completeSignIn(page, issued, { next: '/new-password' })
      if (flow.kind === 'email_change') {
        page.pre.notice = 'notice.addressChanged'
        return await completeSignIn(page, issued, { next: '/account' })
      }
      if (flow.kind === 'link') {
        page.pre.notice = 'notice.linked'
        return await completeSignIn(page, issued, { next: '/account/identities' })
      }
      return await completeSignIn(page, issued)
    } catch (error) {
      if (!(error instanceof AuthError) || error.status >= 500) throw error
      return presentFailure(page, { code: error.code, stepUp: error.details.stepUp }, flow)
    }
  },
}

function presentFailure(
  page: PageRequest,
  failure: { code: string; stepUp: string | null | undefined },
  flow: StartedFlow | null,
): Answer {
  const { text, host } = page
  const { code } = failure
  const step = flow?.kind === 'link' ? requiredStep(page, '/account/identities', failure) : null
  if (step !== null) return redirectTo(step)
  const isReplaced = host.deps.config.pages.error !== null
  if (isReplaced) return redirectTo(pathTo(page, '/error', { error_code: code }))
  return presentPage(
    page,
    {
      heading: text('error.heading'),
      lead: sentenceOf(text, code),
      body: html`<div class="stack">${linkButton(text('error.back'), pathTo(page, '/sign-in'))}</div>`,
    },
    noState,
  )
}

/**
 * The first of two addresses has confirmed a change. The flow stays, since the link to the other
 * address ends it.
 */
function presentHalfway(page: PageRequest, flow: string | undefined): Answer {
  if (!hasFlow(page.pre, flow)) return presentConfirmed(page, page.text('notice.confirmOther'))
  page.pre.notice = 'notice.confirmOther'
  return redirectTo(pathTo(page, '/account'))
}

/** A link that was opened in another browser has confirmed the address, and starts no session. */
const presentConfirmed = (page: PageRequest, lead: string): Answer =>
  presentPage(
    page,
    {
      heading: page.text('complete.heading'),
      lead,
      body: html`<div class="stack">${linkButton(page.text('complete.continue'), pathTo(page, '/sign-in'))}</div>`,
    },
    noState,
  )
