import { fail, redirect } from '@sveltejs/kit'
import { AuthError } from 'latchkey'
import { auth } from '../../auth.ts'
import type { Actions } from './$types'

export const actions: Actions = {
  signIn: async ({ request, locals }) => {
    const form = await request.formData()
    const refusal = await refused(async () => {
      const input = { email: text(form, 'email'), password: text(form, 'password') }
      const { session } = await auth().api.signInWithPassword(input, auth().callOptions(request))
      await locals.session.keep(session)
    })
    return refusal ?? redirect(303, '/')
  },

  signUp: async ({ request }) => {
    const form = await request.formData()
    const email = text(form, 'email')
    const refusal = await refused(() =>
      auth().api.signUp({ email, password: text(form, 'password') }, auth().callOptions(request)),
    )
    // The page prompts for the code from the mail.
    return refusal ?? { email }
  },

  confirm: async ({ request, locals }) => {
    const form = await request.formData()
    const email = text(form, 'email')
    const refusal = await refused(async () => {
      const proof = { type: 'signup', email, token: text(form, 'code') } as const
      const { session } = await auth().api.verifyOtp(proof, auth().callOptions(request))
      if (session) await locals.session.keep(session)
    }, email)
    return refusal ?? redirect(303, '/')
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

const text = (form: FormData, name: string) => String(form.get(name) ?? '')
