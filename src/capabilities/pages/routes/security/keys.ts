import { jsonAnswer } from '../../../../platform/http/answer.ts'
import { requireToken } from '../../account.ts'
import type { PageAction } from '../../page-route.ts'
import { readCredential } from '../../read-submitted-credential.ts'
import { enrolled, newName, removeUnused } from './shared.ts'

export const keyActions: Record<string, PageAction> = {
  'key-options': {
    limit: 'factor_enroll',
    isScript: true,
    run: async (page) => {
      const accessToken = await requireToken(page)
      const { api } = page.host
      const user = await api.getUser({ accessToken }, page.options)
      const friendlyName = newName(page, user, 'webauthn')
      await removeUnused(page, { accessToken, user }, 'webauthn')
      const factor = await api.enrollFactor(
        { accessToken, factorType: 'webauthn', friendlyName },
        page.options,
      )
      const factorId = factor.id
      const challenge = await api.challengeFactor({ accessToken, factorId }, page.options)
      page.pre.challenge = { id: challenge.id, factorId }
      return jsonAnswer(200, { challengeId: challenge.id, ...challenge.webAuthn })
    },
  },
  key: {
    limit: 'factor_verify',
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const { challengeId, credential } = readCredential(fields)
      const { factorId = '' } = page.pre.challenge ?? {}
      const webAuthn = { type: 'create' as const, credential }
      const input = { accessToken, factorId, challengeId, webAuthn }
      const { session } = await page.host.api.verifyFactor(input, page.options)
      delete page.pre.challenge
      await (await page.sessions()).main.keep(session)
      return enrolled(page)
    },
  },
}
