import { action, requireUser } from '../../action.ts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  await requireUser(event)
}

export const actions: Actions = {
  default: action(async ({ api }) => {
    // The factor of an earlier enrollment whose code was not entered.
    const { factors } = await api.getUser()
    for (const { id: factorId, status } of factors) {
      if (status === 'unverified') await api.unenrollFactor({ factorId })
    }
    const { id, totp } = await api.enrollFactor({ factorType: 'totp' })
    return { factorId: id, qrCode: totp?.qrCode, secret: totp?.secret }
  }),
}
