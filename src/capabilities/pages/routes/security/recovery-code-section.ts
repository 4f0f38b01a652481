import { type Factor, isRecoveryCodes, type User } from '../../../../accounts/users/user.ts'
import { Answer } from '../../../../platform/http/answer.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { type Account, requireAccount, requireToken } from '../../account.ts'
import { button } from '../../components/button.ts'
import { form } from '../../components/form.ts'
import { removal } from '../../components/removal.ts'
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
      // A reload of the page with the codes submits its form again.
      if (codesOf(user)) return done(page, 'notice.codesUnchanged')
      const { codes } = await page.host.api.generateRecoveryCodes({ accessToken }, page.options)
      return presentRecoveryCodes(page, codes)
    },
  },
  'replace-codes': {
    limit: 'factor_enroll',
    run: async (page, fields) => {
      const account = await requireAccount(page, path)
      if (account instanceof Answer) return account
      const { accessToken, user } = account
      const codes = codesOf(user)
      if (!codes || fields.get(replacedField) !== versionOf(codes)) {
        return done(page, 'notice.codesUnchanged')
      }
      const made = await page.host.api.regenerateRecoveryCodes({ accessToken }, page.options)
      return presentRecoveryCodes(page, made.codes)
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

/** The field that identifies the codes to replace, so that a form replaces codes once. */
const replacedField = 'replaced'

const codesOf = ({ factors }: User): Factor | undefined => factors.find(isRecoveryCodes)

/** Returns a text that changes when the codes are replaced. */
const versionOf = ({ id, updatedAt }: Factor): string => `${id}.${updatedAt.getTime()}`

export async function codeSection(
  page: PageRequest,
  { user, accessToken }: Account,
): Promise<Markup | null> {
  const { text, host } = page
  const { recoveryCodes } = host.deps.config.mfa
  const codes = codesOf(user)
  const hasOther = user.factors.some(
    (factor) => !isRecoveryCodes(factor) && factor.status === 'verified',
  )
  if (!codes && !(recoveryCodes.enrollEnabled && hasOther)) return null
  const status = codes ? await host.api.getRecoveryCodes({ accessToken }, page.options) : null
  return html`<section>
<h2>${text('security.codes')}</h2>
<p>${text('security.codesLead')}</p>
${status && html`<p>${text('security.codesLeft', { count: status.remaining })}</p>`}
${
  codes
    ? html`<div class="actions">${removal(page, {
        path,
        action: 'replace-codes',
        field: { name: replacedField, value: versionOf(codes) },
        label: text('security.replaceCodes'),
        effect: text('security.removeCodes'),
      })}${removal(page, {
        path,
        action: 'remove-codes',
        label: text('security.remove'),
        effect: text('security.removeCodes'),
      })}</div>`
    : form(page, { path, action: 'codes', body: button(text('security.createCodes'), 'secondary') })
}
</section>`
}
