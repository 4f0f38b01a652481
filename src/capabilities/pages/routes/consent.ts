import { authenticateCaller, type Caller } from '../../../accounts/callers/authenticate-caller.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { scopesIn } from '../../../platform/kit/scopes-in.ts'
import { storableText } from '../../../platform/kit/storable-text.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import {
  type AuthorizationDetails,
  decideForUser,
  isDecidedRequest,
  openForUser,
} from '../../oauth-server/authorize/consent.ts'
import {
  rejectWithoutUser,
  releaseForOtherUser,
} from '../../oauth-server/authorize/unattended-authorization.ts'
import { withOwnFragment } from '../../oauth-server/clients/redirect-uris.ts'
import { requireAccount, requireToken } from '../account.ts'
import { button } from '../components/button.ts'
import { form } from '../components/form.ts'
import { invalidState, noState, type PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import {
  destinationOf,
  isDeviceRequest,
  logoOf,
  meaningOf,
  nameOfClient,
  originText,
  quotedMarkup,
  quoteUrl,
  textWithQuotes,
} from '../oauth-application.ts'
import { type PageRequest, pathTo, redirectTo, urlOf } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { nameOf } from './account.ts'
import { deviceRoute } from './device.ts'

const path = '/consent'

/** The page on which a user grants an application access to the account, or denies it. */
export const consentRoute: PageRoute = {
  path,
  show: async (page, state) => {
    const id = authorizationIdOf(page)
    const { main } = await page.sessions()
    const silent = main.viewer ? null : await rejectWithoutUser(page.ctx, id)
    if (silent !== null) return redirectTo(withOwnFragment(silent))
    const account = await requireAccount(page, pathOf(page, id))
    if (account instanceof Answer) return account
    try {
      const caller = await authenticateCaller(page.ctx, account.accessToken)
      const opened = await openForUser(page.ctx, caller, { id }, null)
      if ('redirectUrl' in opened) return redirectTo(withOwnFragment(opened.redirectUrl))
      return present(page, opened, caller, state)
    } catch (error) {
      return stepBefore(page, id, error)
    }
  },
  actions: {
    allow: {
      run: async (page, fields) => {
        const granted = [...fields.keys()].flatMap((name) =>
          name.startsWith(scopePrefix) ? [name.slice(scopePrefix.length)] : [],
        )
        if (granted.length > 0) return decide(page, { action: 'approve', scope: granted.join(' ') })
        const error = page.text('consent.nothing')
        const state = { ...invalidState('allow', fields, {}), error }
        return consentRoute.show(page, state)
      },
    },
    deny: { run: async (page) => decide(page, { action: 'deny' }) },
    switch: {
      run: async (page) => {
        const id = authorizationIdOf(page)
        const caller = await requireCallerOf(page)
        const { needsUserCode } = await releaseForOtherUser(page.ctx, caller, id)
        const { main, pending } = await page.sessions()
        await main.signOut()
        pending.cookies.removeSession()
        const redirect_to = urlOf(page, needsUserCode ? deviceRoute.path : pathOf(page, id))
        // The hint names the account that the user does not want.
        return redirectTo(pathTo(page, '/sign-in', { redirect_to, login_hint: undefined }))
      },
    },
  },
}

/** The prefix of the fields of scopes: each is there once. */
const scopePrefix = 'scope:'

const authorizationIdOf = ({ event }: PageRequest): string =>
  storableText(event.url.searchParams.get('authorization_id')) ?? ''

/** Returns the path of the page of a request, in the language that the request prefers. */
const pathOf = ({ hints: { ui_locales: uiLocales } }: PageRequest, id: string): string => {
  const locales = uiLocales === undefined ? {} : { ui_locales: uiLocales }
  return `${path}?${new URLSearchParams({ authorization_id: id, ...locales })}`
}

const requireCallerOf = async (page: PageRequest): Promise<Caller> =>
  authenticateCaller(page.ctx, await requireToken(page))

/**
 * Redirects to the step that an error requires, which returns to the request. Presents the end of a
 * request that is decided. Throws any other error. Where a new sign-in is required, another user
 * may sign in.
 */
async function stepBefore(page: PageRequest, id: string, error: unknown): Promise<Answer> {
  const back = { redirect_to: urlOf(page, pathOf(page, id)) }
  if (error instanceof AuthError && error.code === 'insufficient_aal') {
    return redirectTo(pathTo(page, '/second-factor', back))
  }
  if (!(error instanceof AuthError)) throw error
  // The client receives no error, since its redirect URI opens an application.
  if (error.details.oauthError !== undefined) throw error
  if (error.code === 'validation_failed') return presentDecided(page, id, error)
  if (error.details.stepUp !== 'sign_in') throw error
  await releaseForOtherUser(page.ctx, await requireCallerOf(page), id)
  page.pre.notice = 'notice.signInAgain'
  return redirectTo(pathTo(page, '/sign-in', { ...back, again: '1' }))
}

/** After a decision, the user may return to the page, or have it open in another tab. */
async function presentDecided(page: PageRequest, id: string, error: AuthError): Promise<Answer> {
  if (!(await isDecidedRequest(page.ctx, await requireCallerOf(page), id))) throw error
  const { text } = page
  return presentPage(
    page,
    {
      heading: text('consent.decidedHeading'),
      lead: text('consent.decided'),
      status: error.status,
      body: [],
    },
    noState,
  )
}

async function decide(
  page: PageRequest,
  decision: { action: 'approve' | 'deny'; scope?: string },
): Promise<Answer> {
  const id = authorizationIdOf(page)
  try {
    const caller = await requireCallerOf(page)
    // The form was submitted by this page: its origin was checked before.
    const decided = await decideForUser(page.ctx, caller, id, { ...decision, origin: null })
    return redirectTo(withOwnFragment(decided.redirectUrl))
  } catch (error) {
    return stepBefore(page, id, error)
  }
}

function present(
  page: PageRequest,
  details: AuthorizationDetails,
  { user }: Caller,
  state: PageFormState,
): Answer {
  const { text, host } = page
  const { client, redirectUri, resource, authorizationId } = details
  // A device has no page: its redirect URI is that of this service.
  const target = isDeviceRequest(page, redirectUri) ? null : redirectUri
  const name = nameOfClient(page, client, destinationOf(target))
  const logo = logoOf(client, target)
  if (logo !== null) page.imageOrigins.push(new URL(logo).origin)
  const parameters = { authorization_id: authorizationId }
  const isRejected = state.action === 'allow'
  const scopes = scopesIn(details.scope)
  const submitted = (action: string, body: Markup): Markup =>
    form(page, { path, action, parameters, body, isPaused: action === 'allow' })
  return presentPage(
    page,
    {
      heading: text('consent.heading', { client: name.quoted, site: host.siteName }),
      headingMarkup: textWithQuotes(
        page,
        'consent.heading',
        { client: name },
        { site: host.siteName },
      ),
      lead: originText(page, client, target),
      body: html`${name.full !== null && html`<details class="hint"><summary>${text('consent.fullName')}</summary><p>${quotedMarkup(name.full)}</p></details>`}${logo !== null && html`<p class="client"><img src="${logo}" alt="" width="48" height="48"></p>`}
${submitted(
  'allow',
  html`<fieldset><legend>${textWithQuotes(page, 'consent.scopes', { client: name })}</legend>
${scopes.map((scope) => scopeBox(page, scope, isRejected ? state.values : null))}</fieldset>
${resource !== null && html`<p class="hint">${textWithQuotes(page, 'consent.resource', { resource: quoteUrl(page, resource) })}</p>`}
${button(text('consent.allow'))}`,
)}
${submitted('deny', button(text('consent.deny'), 'secondary'))}
${submitted(
  'switch',
  html`<p class="hint">${text('consent.account', { account: nameOf(page, user) })}</p>
${button(text('consent.switch'), 'quiet')}`,
)}`,
    },
    state,
  )
}

/**
 * A scope that the user can deselect. `openid` identifies the user, so the request has no meaning
 * without it.
 */
function scopeBox(
  page: PageRequest,
  scope: string,
  values: Readonly<Record<string, string>> | null,
): Markup {
  const name = `${scopePrefix}${scope}`
  const label = meaningOf(page, scope)
  if (scope === 'openid') {
    return html`<div class="check"><input type="hidden" name="${name}" value="on"><span>${label}</span></div>`
  }
  const isChecked = values === null || Object.hasOwn(values, name)
  return html`<div class="check"><input id="${name}" type="checkbox" name="${name}" value="on"${isChecked && html` checked`}><label for="${name}">${label}</label></div>`
}
