import { fail, redirect } from '@sveltejs/kit'
import { AuthError } from 'latchkey/sveltekit'
import type { Actions } from './$types'

export const actions: Actions = {
  signIn: async ({ request, locals }) => {
    const { email, password } = await fieldsOf(request)
    const { api } = locals.session
    const rejection = await refused(() => api.signInWithPassword({ email, password }))
    return rejection ?? redirect(303, '/')
  },

  signUp: async ({ request, locals }) => {
    const { email, password } = await fieldsOf(request)
    const rejection = await refused(() => locals.session.api.signUp({ email, password }))
    // The page prompts for the code from the mail.
    return rejection ?? { email }
  },

  confirm: async ({ request, locals }) => {
    const { email, code } = await fieldsOf(request)
    const proof = { type: 'signup', email, token: code } as const
    const rejection = await refused(() => locals.session.api.verifyOtp(proof), email)
    return rejection ?? redirect(303, '/')
  },

  signOut: async ({ locals }) => {
    await locals.session.signOut()
    redirect(303, '/')
  },
}

/** Returns null after success, and the rejection for the form, with the address that it still needs. */
async function refused(work: () => Promise<unknown>, email?: string) {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return fail(error.status, { problem: error.message, email })
  }
}

const fieldsOf = async (request: Request): Promise<Record<string, string>> =>
  Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)]))
