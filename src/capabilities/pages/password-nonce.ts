import { nonceRecipient } from '../../accounts/callers/nonce-recipient.ts'
import type { User } from '../../accounts/users/user.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { html, type Markup } from '../../service/pages/html.ts'
import { requireToken } from './account.ts'
import { button } from './components/button.ts'
import { field } from './components/field.ts'
import { form } from './components/form.ts'
import type { PageRequest } from './page-request.ts'
import type { PageAction } from './page-route.ts'

// The nonce that a change of password requires by `security.passwordUpdate.requireReauthentication`.

type Requirement = 'none' | 'nonce' | 'address_too_new'

function requirementFor({ host, ctx }: PageRequest, user: User): Requirement {
  if (!host.deps.config.security.passwordUpdate.requireReauthentication) return 'none'
  const recipient = nonceRecipient(ctx, user)
  if (recipient === null) return 'none'
  return recipient === 'too_new' ? 'address_too_new' : 'nonce'
}

/**
 * The form that requests the nonce; null where none is required. Where none can be sent yet, the
 * reason.
 */
export function nonceRequest(page: PageRequest, user: User, path: string): Markup | null {
  const requirement = requirementFor(page, user)
  if (requirement === 'none') return null
  if (requirement === 'address_too_new') {
    return html`<p class="hint">${page.text('error.address_too_new')}</p>`
  }
  return form(page, {
    path,
    action: 'nonce',
    body: button(page.text('security.sendNonce'), 'secondary'),
  })
}

/** The field of the nonce; null where none is required or can be sent. */
export const nonceField = (
  page: PageRequest,
  user: User,
  { form: name, error }: { form: string; error: string | undefined },
): Markup | null =>
  requirementFor(page, user) === 'nonce'
    ? field({
        form: name,
        name: 'nonce',
        label: page.text('security.passwordNonce'),
        autocomplete: 'one-time-code',
        inputMode: 'numeric',
        error,
      })
    : null

/** Returns the nonce of a form; undefined without one. */
export const nonceIn = (fields: URLSearchParams): string | undefined =>
  fields.get('nonce')?.trim() || undefined

/** The action that sends the nonce. @param finish returns the response. */
export const sendingNonce = (finish: (page: PageRequest) => Answer): PageAction => ({
  limit: 'otp',
  run: async (page) => {
    const accessToken = await requireToken(page)
    await page.host.api.reauthenticate({ accessToken }, page.options)
    return finish(page)
  },
})
