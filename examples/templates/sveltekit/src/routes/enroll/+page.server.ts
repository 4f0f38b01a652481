import { action, requireUser } from '../../action.ts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  await requireUser(event)
}

export const actions: Actions = {
  default: action(async ({ api }) => {
    const { id, totp } = await api.enrollFactor({ factorType: 'totp' })
    return { factorId: id, qrCode: totp?.qrCode, secret: totp?.secret }
  }),
}
