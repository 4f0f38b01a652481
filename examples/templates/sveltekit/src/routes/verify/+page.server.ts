import { redirect } from '@sveltejs/kit'
import { action } from '../../action.ts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async ({ locals: { session } }) => {
  if (!session.viewer) redirect(303, '/sign-in')
  const { factors } = await session.api.getUser()
  const factor = factors.find(({ status }) => status === 'verified')
  if (!factor) redirect(303, '/enroll')
  return { factorId: factor.id }
}

export const actions: Actions = {
  default: action(async ({ api }, { factorId = '', code = '' }) => {
    const { id: challengeId } = await api.challengeFactor({ factorId })
    await api.verifyFactor({ factorId, challengeId, code })
    redirect(303, '/account')
  }),
}
