import { redirect } from '@sveltejs/kit'
import { action } from '../../action.ts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async ({ locals: { session } }) => {
  if (!session.viewer) redirect(303, '/sign-in')
  const { factors } = await session.api.getUser()
  // A factor that is not verified yet is entered here again after a wrong code.
  const factor = factors.find(({ status }) => status === 'verified') ?? factors[0]
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
