import { redirect } from '@sveltejs/kit'
import { action, requireUser } from '../../action.ts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  const { user } = await requireUser(event)
  return { email: user.email }
}

export const actions: Actions = {
  default: action(async ({ api }, { password = '' }) => {
    await api.updateUser({ password })
    redirect(303, '/account')
  }),
}
