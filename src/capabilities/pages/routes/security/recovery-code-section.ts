import { Answer } from '../../../../platform/http/answer.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { type Account, requireAccount, requireToken } from '../../account.ts'
import { button } from '../../components/button.ts'
import { form } from '../../components/form.ts'
import type { PageRequest } from '../../page-request.ts'
import type { PageAction } from '../../page-route.ts'
import { presentRecoveryCodes } from '../recovery-codes.ts'
import { done, path } from './shared.ts'

export const recoveryCodeActions: Record<string, PageAction> = {
  codes: {
    limit: 'factor_enroll',
    run: async (page) => {
      const account = await requireAccount(page, path)
      if (account instanceof Answer) return account
      const { accessToken, user } = account
      const { api } = page.host
      const has = user.factors.some(({ factorType }) => factorType === 'recovery_code')
      const { codes } = has
        ? await api.regenerateRecoveryCodes({ accessToken }, page.options)
        : await api.generateRecoveryCodes({ accessToken }, page.options)
      return presentRecoveryCodes(page, codes)
    },
  },
  'remove-codes': {
    run: async (page) => {
      const accessToken = await requireToken(page)
      await page.host.api.unenrollRecoveryCodes({ accessToken }, page.options)
      return done(page, 'notice.removed')
    },
  },
}

export async function codeSection(
  page: PageRequest,
  { user, accessToken }: Account,
): Promise<Markup | null> {
  const { text, host } = page
  const { recoveryCodes } = host.deps.config.mfa
  const has = user.factors.some(({ factorType }) => factorType === 'recovery_code')
  const hasOther = user.factors.some(
    ({ factorType, status }) => factorType !== 'recovery_code' && status === 'verified',
  )
  if (!has && !(recoveryCodes.enrollEnabled && hasOther)) return null
  const status = has ? await host.api.getRecoveryCodes({ accessToken }, page.options) : null
  return html`<section>
<h2>${text('security.codes')}</h2>
<p>${text('security.codesLead')}</p>
${status && html`<p>${text('security.codesLeft', { count: status.remaining })}</p>`}
${form(page, { path, action: 'codes', body: button(text(has ? 'security.replaceCodes' : 'security.createCodes'), 'secondary') })}
${has && form(page, { path, action: 'remove-codes', body: button(text('security.remove'), 'quiet') })}
</section>`
}
