import { hasVerifiedFactor } from '../../../../accounts/users/user.ts'
import { Answer } from '../../../../platform/http/answer.ts'
import type { Markup } from '../../../../service/pages/html.ts'
import { type Account, requireAccount } from '../../account.ts'
import { notice } from '../../components/notice.ts'
import { presentPage } from '../../layout.ts'
import type { PageRequest } from '../../page-request.ts'
import type { PageRoute } from '../../page-route.ts'
import { presentRejectedTotpCode } from '../totp-enrollment.ts'
import { deviceActions, deviceSection } from './devices.ts'
import { factorActions, factorSection } from './factors.ts'
import { keyActions } from './keys.ts'
import { passkeyActions, passkeySection } from './passkeys.ts'
import { passwordActions, passwordSection } from './password.ts'
import { codeSection, recoveryCodeActions } from './recovery-code-section.ts'
import { sentFactorActions } from './sent-factors.ts'
import { isEnrollmentRequired, noteRequiredEnrollment, path } from './shared.ts'

/** Password, second factors, recovery codes, passkeys and trusted devices of the signed-in user. */
export const securityRoute: PageRoute = {
  path,
  show: async (page, state) => {
    if (state.action === 'totp-verify') return presentRejectedTotpCode(page, state)
    const account = await requireAccount(page, path)
    if (account instanceof Answer) return account
    noteRequiredEnrollment(page)
    const { text } = page
    return presentPage(
      page,
      {
        heading: text('security.heading'),
        account: 'security',
        body: [
          enrollmentNotice(page, account),
          passwordSection(page, account, state),
          await factorSection(page, account, state),
          await codeSection(page, account),
          await passkeySection(page, account),
          await deviceSection(page, account),
        ],
      },
      state,
    )
  },
  actions: {
    ...passwordActions,
    ...factorActions,
    ...sentFactorActions,
    ...keyActions,
    ...recoveryCodeActions,
    ...passkeyActions,
    ...deviceActions,
  },
}

/** States why another page led to this one; null where the user came by choice. */
const enrollmentNotice = (page: PageRequest, { user }: Account): Markup | null =>
  isEnrollmentRequired(page) && !hasVerifiedFactor(user)
    ? notice('info', page.text('security.enrollFirst'))
    : null
