import { redirect } from '@sveltejs/kit'
import { action } from '../../action.ts'
import { origin } from '../../auth.ts'
import type { Actions } from './$types'

export const actions: Actions = {
  send: action(
    async ({ api }, { email = '' }) => {
      const redirectTo = `${origin}/callback?next=/new-password`
      await api.resetPasswordForEmail({ email, redirectTo })
      return { sentTo: email }
    },
    ({ email }) => ({ email }),
  ),

  confirm: action(
    async ({ api }, { email = '', code = '' }) => {
      await api.verifyOtp({ type: 'recovery', email, token: code })
      redirect(303, '/new-password')
    },
    ({ email }) => ({ sentTo: email }),
  ),
}
