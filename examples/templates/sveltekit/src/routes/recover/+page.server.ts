import { action } from '../../action.ts'
import { origin } from '../../auth.ts'
import type { Actions } from './$types'

export const actions: Actions = {
  default: action(async ({ api }, { email = '' }) => {
    const redirectTo = `${origin}/callback?next=/new-password`
    await api.resetPasswordForEmail({ email, redirectTo })
    return { sentTo: email }
  }),
}
