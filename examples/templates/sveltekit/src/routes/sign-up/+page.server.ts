import { redirect } from '@sveltejs/kit'
import { action } from '../../action.ts'
import { origin } from '../../auth.ts'
import type { Actions } from './$types'

export const actions: Actions = {
  signUp: action(
    async ({ api }, { email = '', password = '' }) => {
      await api.signUp({ email, password, redirectTo: `${origin}/callback` })
      return { sentTo: email }
    },
    ({ email }) => ({ email }),
  ),

  confirm: action(
    async ({ api }, { email = '', code = '' }) => {
      await api.verifyOtp({ type: 'signup', email, token: code })
      redirect(303, '/account')
    },
    ({ email }) => ({ sentTo: email }),
  ),
}
