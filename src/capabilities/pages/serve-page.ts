import type { H3Event } from 'h3'
import { captchaFor } from '../../endpoints/http/check-captcha.ts'
import { limitClient } from '../../endpoints/http/limit-client.ts'
import { isEnd } from '../../hosts/cookie-sessions/cookie-host.ts'
import { isFromOwnOrigin } from '../../hosts/cookie-sessions/own-origin.ts'
import { captchaFailed } from '../../limits/captcha/open-captcha.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { notFound, unexpectedFailure } from '../../platform/errors/request-errors.ts'
import { type Answer, jsonAnswer } from '../../platform/http/answer.ts'
import { maxLargeBodyBytes } from '../../platform/http/body-limit.ts'
import { sameOriginOnly } from '../../platform/http/cors.ts'
import { requireFewFields } from '../../platform/http/read-request.ts'
import { withBody } from '../../platform/http/read-text.ts'
import { isStorable } from '../../platform/kit/storable-text.ts'
import { captchaTokenIn } from './components/captcha.ts'
import { noState, rejectedState, sentenceOfError, valuesOf } from './form-state.ts'
import { isFormToken, tokenField } from './form-token.ts'
import {
  openPage,
  type PageRequest,
  pathTo,
  redirectTo,
  returnTo,
  withPageCookies,
} from './page-request.ts'
import type { PageAction, PageRoute } from './page-route.ts'
import type { PagesHost } from './pages-host.ts'
import { requiredStep } from './required-step.ts'
import { logFault, presentError, withRetryAfter } from './routes/error.ts'

export async function servePage(
  host: PagesHost,
  route: PageRoute,
  event: H3Event,
): Promise<Answer> {
  sameOriginOnly(event)
  requireFewFields(event.url.search, 'query')
  return guarded(host, event, async (page) => {
    const replaced = replacementOf(host, route, event)
    if (replaced !== null) return redirectTo(replaced)
    return host.deps.clientScope.run(page.ctx.request, async () => {
      await page.sessions()
      return route.show(page, noState)
    })
  })
}

/**
 * Serves a form. The checks run in this order: origin, limit, body, form token, captcha. The
 * session is opened before the token is compared, which is bound to it.
 */
export async function serveForm(
  host: PagesHost,
  route: PageRoute,
  event: H3Event,
): Promise<Answer> {
  sameOriginOnly(event)
  requireFewFields(event.url.search, 'query')
  return guarded(host, event, async (page) => {
    const name = event.url.searchParams.get('do') ?? ''
    const { actions = {} } = route
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (!action || replacementOf(host, route, event) !== null) throw notFound()
    requireOwnOrigin(page)
    try {
      if (action.limit) await limitClient(page.ctx, action.limit)
    } catch (error) {
      if (!action.isScript || !(error instanceof AuthError)) throw error
      return scriptError(page, route, error)
    }
    const receiver = { bodies: host.deps.bodies, client: page.ctx.request.clientKey() }
    const reader = {
      maxBytes: maxLargeBodyBytes,
      read: (text: string) => new URLSearchParams(requireFewFields(text)),
    }
    return withBody(receiver, event, reader, (form) =>
      host.deps.clientScope.run(page.ctx.request, () =>
        runAction(page, route, { name, action, form }),
      ),
    )
  })
}

async function runAction(
  page: PageRequest,
  route: PageRoute,
  { name, action, form }: { name: string; action: PageAction; form: URLSearchParams },
): Promise<Answer> {
  const { text } = page
  await page.sessions()
  if (!isFormToken(page, form.get(tokenField) ?? '')) {
    const error = text(page.isNewBrowser ? 'error.cookies' : 'error.form_expired')
    if (action.isScript) return jsonAnswer(403, { error })
    // The form may be that of another account, whose data is not entered for this one.
    const values = route.path.startsWith('/account') ? {} : valuesOf(form)
    return route.show(page, { ...noState, status: 403, action: name, values, error })
  }
  try {
    requireReadable(form)
    if (action.captcha) await requireCaptcha(page, action.captcha, form)
    return await action.run(page, form)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (action.isScript) return scriptError(page, route, error)
    const next = stepOf(page, route, error)
    if (next !== null) return redirectTo(next)
    if (error.status >= 500 && !error.details.isHookMessage) throw error
    page.event.context.errorCode = error.code
    const shown = await route.show(page, rejectedState(text, error, { action: name, form }))
    return withRetryAfter(error, shown)
  }
}

/** Responds to a script of the page: with the text of the error, and the step that it requires. */
function scriptError(page: PageRequest, route: PageRoute, error: AuthError): Answer {
  const text = sentenceOfError(page.text, error)
  page.event.context.errorCode = error.code
  const answer = jsonAnswer(error.status, { error: text, next: stepOf(page, route, error) })
  return withRetryAfter(error, answer)
}

/** Each field may be there once, and contains only characters that can be stored. */
function requireReadable(form: URLSearchParams): void {
  const names = new Set<string>()
  for (const [name, value] of form) {
    if (names.has(name) || !isStorable(value)) {
      throw new AuthError('validation_failed', 400, `${name}: cannot be read`)
    }
    names.add(name)
  }
}

/** Browsers report the origin of each form. A request without it is not a form of these pages. */
function requireOwnOrigin({ host, event }: PageRequest): void {
  if (isFromOwnOrigin(host.cookies.terms.origins, event.req) === true) return
  throw new AuthError('origin_not_allowed', 403, 'The form was submitted by another origin')
}

async function requireCaptcha(
  page: PageRequest,
  path: string,
  form: URLSearchParams,
): Promise<void> {
  const solved = await captchaFor(page.ctx, null)
  if (solved === null) return
  const token = captchaTokenIn(page, form)
  if (token === '') throw captchaFailed('no captcha_token found')
  await solved({ token, ip: page.ctx.request.ip, path })
}

/** Returns the page of the step that the user has to complete first; null if there is none. */
function stepOf(page: PageRequest, { path }: PageRoute, error: AuthError): string | null {
  const step = requiredStep(page, path, { code: error.code, stepUp: error.details.stepUp })
  if (step !== null) return step
  const isOver = isEnd(error) && path.startsWith('/account')
  return isOver ? pathTo(page, '/sign-in', { redirect_to: returnTo(page, path) }) : null
}

/** Returns the URL of the application's own page, with the same query; null if it has none. */
function replacementOf({ deps }: PagesHost, route: PageRoute, event: H3Event): string | null {
  const { pages, siteUrl } = deps.config
  const own = route.replacedBy ? pages[route.replacedBy] : null
  if (own === null) return null
  const url = new URL(own, siteUrl)
  const query = new URLSearchParams(url.search)
  for (const [name, value] of event.url.searchParams) {
    if (name !== 'do') query.append(name, value)
  }
  // Set once: each change of the parameters of a URL parses all of it.
  url.search = query.toString()
  return url.href
}

/** Responds with a page also to errors. */
async function guarded(
  host: PagesHost,
  event: H3Event,
  serve: (page: PageRequest) => Promise<Answer>,
): Promise<Answer> {
  const page = openPage(host, event)
  try {
    return await withPageCookies(page, await serve(page))
  } catch (error) {
    const known = error instanceof AuthError ? error : unexpectedFailure()
    logFault(page, known, error)
    event.context.errorCode = known.code
    return presentError(page, known)
  }
}
