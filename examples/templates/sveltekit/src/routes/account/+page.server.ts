import { redirect } from '@sveltejs/kit'
import { action, requireUser } from '../../action.ts'
import type { Actions, PageServerLoad } from './$types'

/** A page for signed-in users only. */
export const load: PageServerLoad = async (event) => {
  const { user } = await requireUser(event)
  return { email: user.email }
}

export const actions: Actions = {
  signOut: action(async (session) => {
    await session.signOut()
    redirect(303, '/')
  }),

  signOutEverywhere: action(async (session) => {
    await session.signOut({ scope: 'global' })
    redirect(303, '/')
  }),
}
