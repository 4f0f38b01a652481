import { redirect } from '@sveltejs/kit'
import { action } from '../../action.ts'
import { hasGithub, origin } from '../../auth.ts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = ({ url }) => ({
  hasGithub,
  failed: url.searchParams.get('error_code'),
})

export const actions: Actions = {
  signIn: action(
    async ({ api }, { email = '', password = '' }) => {
      await api.signInWithPassword({ email, password })
      redirect(303, '/account')
    },
    ({ email }) => ({ email }),
  ),

  github: action(async ({ api }) => {
    const redirectTo = `${origin}/callback`
    const { url } = await api.signInWithOAuth({ provider: 'github', redirectTo })
    redirect(303, url, { external: true })
  }),
}
