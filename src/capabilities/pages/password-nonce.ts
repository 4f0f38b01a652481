import { isProvedByNonce } from '../../accounts/callers/recent-sign-in.ts'
import type { User } from '../../accounts/users/user.ts'
import type { Answer } from '../../platform/http/answer.ts'
import type { Markup } from '../../service/pages/html.ts'
import { requireToken } from './account.ts'
import { button } from './components/button.ts'
import { field } from './components/field.ts'
import { form } from './components/form.ts'
import type { PageRequest } from './page-request.ts'
import type { PageAction } from './page-route.ts'

// The nonce that a change of password requires by `security.passwordUpdate.requireReauthentication`.

const isRequired = ({ host }: PageRequest, user: User): boolean =>
  host.deps.config.security.passwordUpdate.requireReauthentication && isProvedByNonce(user)

/** The form that requests the nonce; null where none is required. */
export const nonceRequest = (page: PageRequest, user: User, path: string): Markup | null =>
  isRequired(page, user)
    ? form(page, {
        path,
        action: 'nonce',
        body: button(page.text('security.sendNonce'), 'secondary'),
      })
    : null

/** The field of the nonce; null where none is required. */
export const nonceField = (
  page: PageRequest,
  user: User,
  { form: name, error }: { form: string; error: string | undefined },
): Markup | null =>
  isRequired(page, user)
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
