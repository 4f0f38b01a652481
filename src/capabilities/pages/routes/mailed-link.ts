import { findByLink } from '../../../accounts/one-time-tokens/one-time-tokens.sql.ts'
import { provingUserColumns } from '../../../accounts/users/competing-accounts.sql.ts'
import { toStoredUser } from '../../../accounts/users/find-user.sql.ts'
import type { Pages } from '../../../endpoints/http/implement.ts'
import { readRedirectTo } from '../../../endpoints/http/read-input.ts'
import { requireLink } from '../../../endpoints/verify/follow-link.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { sameOriginOnly } from '../../../platform/http/cors.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { button } from '../components/button.ts'
import { hidden } from '../components/field.ts'
import { form } from '../components/form.ts'
import { table } from '../components/table.ts'
import { noState, type PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { openPage, type PageRequest } from '../page-request.ts'
import type { PageAction } from '../page-route.ts'
import type { PagesHost } from '../pages-host.ts'
import type { TextKey } from '../texts/en.ts'
import { nameOf } from './account.ts'

const path = '/confirm'

/** Returns whether a request of `/confirm` is that of a mailed link. */
export const isMailedLink = ({ event }: PageRequest): boolean => event.url.searchParams.has('token')

/**
 * Presents the page of a mailed link, whose button uses it. Without a session it queries nothing,
 * so a program that opens the link neither consumes it nor learns whether it is valid.
 *
 * An invitation is accepted here and signs the user in. To a signed-in user it names both accounts.
 * Other links are those of `/verify`: they return to the browser that requested them.
 */
export async function presentMailedLink(page: PageRequest, state: PageFormState): Promise<Answer> {
  const { host, event } = page
  const query = event.url.searchParams
  const link = requireLink({
    type: query.get('type') ?? undefined,
    token: query.get('token') ?? undefined,
  })
  const { type } = link
  const needsForm = host.deps.config.links.confirm === 'button' || type === 'credential'
  const submit = submitOf(page, type)
  // Only the sender of an invitation can send a new one.
  const isUsed = type === 'invite' && state.error === page.text('error.otp_expired')
  return presentLink(
    page,
    type,
    type === 'invite'
      ? html`${await accountsOf(page, link.token)}${form(page, { path, action: 'invitation', parameters: link, body: submit })}`
      : verifyForm(page, { ...link, method: needsForm ? 'post' : 'get' }),
    isUsed ? { ...state, error: page.text('invitation.expired') } : state,
  )
}

/**
 * Returns the list of the invited account and of the signed-in one, whose session the invitation
 * replaces. Null without a session, for an invitation of the same user, and for an invalid link.
 */
async function accountsOf(page: PageRequest, secret: string): Promise<Markup | null> {
  const { text, ctx } = page
  const { main } = await page.sessions()
  if (!main.viewer) return null
  const current = await main.requireUser({ aal: 1 }).catch((error: unknown) => {
    if (error instanceof AuthError && error.status < 500) return null
    throw error
  })
  const link = { secret, purposes: ['confirmation'] as const, now: ctx.clock.now() }
  const found = current && (await findByLink(ctx.sql, provingUserColumns, link))
  if (!found) return null
  const { user: invited } = toStoredUser(found)
  if (invited.id === current.user.id) return null
  return html`<div class="stack">${table(text('invitation.accounts'), [
    { title: nameOf(page, invited), details: [text('invitation.invited')] },
    { title: nameOf(page, current.user), details: [text('invitation.signedOut')] },
  ])}</div>`
}

/** Presents the page of `/verify` for a link that requires a button. */
export const mailedLinkPresenter =
  (host: PagesHost): Pages['confirmLink'] =>
  (event) => {
    const link = requireLink({ type: readQuery(event, 'type'), token: readQuery(event, 'token') })
    sameOriginOnly(event)
    const page = openPage(host, event)
    return presentLink(page, link.type, verifyForm(page, { ...link, method: 'post' }), noState)
  }

const presentLink = (page: PageRequest, type: string, form: Markup, state: PageFormState): Answer =>
  presentPage(
    page,
    {
      heading: page.text(linkTextKey(page, type, 'heading')),
      lead: page.text('link.message'),
      body: [form, html`<p class="foot">${page.text('link.closing')}</p>`],
    },
    state,
  )

function verifyForm(
  page: PageRequest,
  { method, type, token }: { method: 'get' | 'post'; type: string; token: string },
): Markup {
  const { target } = readRedirectTo(page.event)
  return html`<form method="${method}" action="${page.host.root}/verify">
${hidden('type', type)}${hidden('token', token)}${target !== undefined && hidden('redirect_to', target)}
${submitOf(page, type)}
</form>`
}

const submitOf = (page: PageRequest, type: string): Markup =>
  button(page.text(linkTextKey(page, type, 'button')))

const linkTextKey = ({ text }: PageRequest, type: string, part: 'heading' | 'button'): TextKey =>
  `link.${text.has(`link.${type}.heading`) ? type : 'other'}.${part}` as TextKey

/** Accepts an invitation: signs the user in, and continues with a password. */
export const acceptInvitation: PageAction = {
  limit: 'verify',
  run: async (page) => {
    const tokenHash = page.event.url.searchParams.get('token') ?? ''
    const input = { type: 'invite' as const, tokenHash }
    const { user, session } = await page.host.api.verifyOtp(input, page.options)
    if (!session) throw new Error('an invitation returned no session')
    const answer = await completeSignIn(page, { user, session }, { next: '/new-password' })
    page.pre.isInvited = true
    return answer
  },
}
