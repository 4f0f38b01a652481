import { authenticateCaller } from '../../../accounts/callers/authenticate-caller.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { openForUser } from '../../oauth-server/authorize/consent.ts'
import { requireUserCode } from '../../oauth-server/device/require-user-code.ts'
import { requireAccount, requireToken } from '../account.ts'
import { button } from '../components/button.ts'
import { field } from '../components/field.ts'
import { form } from '../components/form.ts'
import { invalidState, type PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { nameOf } from './account.ts'

const path = '/device'

/** The page on which a user enters the code of a device. @see RFC 8628 §3.3 */
export const deviceRoute: PageRoute = {
  path,
  show: async (page, state) => {
    const query = page.event.url.searchParams
    if (query.get('status') === 'approved') return presentEnd(page, 'approved', state)
    if (query.has('error')) return presentEnd(page, 'denied', state)
    const code = query.get('user_code') ?? ''
    const own = code === '' ? path : `${path}?${new URLSearchParams({ user_code: code })}`
    const account = await requireAccount(page, own)
    if (account instanceof Answer) return account
    const { text } = page
    return presentPage(
      page,
      {
        heading: text('device.heading'),
        lead: text('device.lead', { account: nameOf(page, account.user) }),
        body: form(page, {
          path,
          action: 'enter',
          body: field({
            form: 'device',
            name: 'user_code',
            label: text('device.code'),
            hint: text('device.warning'),
            autocomplete: 'off',
            value: state.values['user_code'] ?? code,
            error: state.errors['user_code'],
            hasFocus: state.error === null,
            maxLength: 40,
          }),
          submit: button(text('device.submit')),
        }),
      },
      state,
    )
  },
  actions: {
    enter: {
      run: async (page, fields) => {
        const caller = await authenticateCaller(page.ctx, await requireToken(page))
        const userCodeHashes = await requireUserCode(
          page.ctx,
          caller,
          fields.get('user_code')?.trim(),
        )
        try {
          const opened = await openForUser(page.ctx, caller, { userCodeHashes }, null)
          if ('redirectUrl' in opened) return redirectTo(opened.redirectUrl)
          const { authorizationId } = opened
          return redirectTo(pathTo(page, '/consent', { authorization_id: authorizationId }))
        } catch (error) {
          if (!(error instanceof AuthError) || error.code !== 'oauth_authorization_not_found')
            throw error
          const user_code = page.text('error.mfa_verification_failed')
          return deviceRoute.show(page, invalidState('enter', fields, { user_code }))
        }
      },
    },
  },
}

function presentEnd(page: PageRequest, end: 'approved' | 'denied', state: PageFormState): Answer {
  const { text } = page
  return presentPage(
    page,
    { heading: text(`device.${end}Heading`), lead: text(`device.${end}`), body: [] },
    state,
  )
}
