import { Answer } from '../../../../platform/http/answer.ts'
import { requireAccount, requireToken } from '../../account.ts'
import { phoneOf } from '../../methods.ts'
import type { PageAction } from '../../page-route.ts'
import { done, enrolled, newName, path, removeUnused } from './shared.ts'

/** Phone and email: the factor is enrolled, a code is sent, and the code is verified. */
export const sentFactorActions: Record<string, PageAction> = {
  sent: {
    limit: 'factor_enroll',
    run: async (page, fields) => {
      const account = await requireAccount(page, path)
      if (account instanceof Answer) return account
      const { accessToken, user } = account
      const { api } = page.host
      const isPhone = fields.get('factor_type') === 'phone'
      const factorType = isPhone ? ('phone' as const) : ('email' as const)
      await removeUnused(page, account, factorType)
      const enrolled = await api.enrollFactor(
        {
          accessToken,
          factorType,
          friendlyName: newName(page, user, factorType),
          ...(isPhone && { phone: phoneOf(fields.get('phone') ?? '') }),
        },
        page.options,
      )
      const factorId = enrolled.id
      const challenge = await api.challengeFactor({ accessToken, factorId }, page.options)
      page.pre.challenge = { id: challenge.id, factorId }
      return done(page, 'notice.codeSent')
    },
  },
  'sent-verify': {
    limit: 'factor_verify',
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const { id: challengeId = '', factorId = '' } = page.pre.challenge ?? {}
      const code = (fields.get('code') ?? '').replace(/\s/g, '')
      const input = { accessToken, factorId, challengeId, code }
      const { session } = await page.host.api.verifyFactor(input, page.options)
      delete page.pre.challenge
      await (await page.sessions()).main.keep(session)
      return enrolled(page)
    },
  },
}
