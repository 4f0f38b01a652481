import { fail, type RequestEvent, redirect } from '@sveltejs/kit'
import type { Viewer } from 'latchkey'
import { type RequestSession, requiredStep } from 'latchkey/cookies'
import { AuthError } from 'latchkey/sveltekit'

/** The texts of a submitted form. */
export type Fields = Readonly<Record<string, string>>

const steps = { sign_in: '/sign-in', verify: '/verify', enroll: '/enroll' }

/**
 * Creates the action of a form. A rejection leads to the step that is required first, or back to
 * the form with the problem.
 *
 * @param kept returns the values that the form needs again.
 */
export const action =
  <Result, Kept extends object = object>(
    act: (session: RequestSession, fields: Fields) => Promise<Result>,
    kept?: (fields: Fields) => Kept,
  ) =>
  async ({ request, locals }: RequestEvent) => {
    const form = [...(await request.formData())]
    const fields: Fields = Object.fromEntries(form.map(([name, value]) => [name, String(value)]))
    try {
      return await act(locals.session, fields)
    } catch (error) {
      redirectToStep(error)
      if (!(error instanceof AuthError)) throw error
      const values: Partial<Kept> = kept?.(fields) ?? {}
      return fail(error.status, { problem: error.message, ...values })
    }
  }

/**
 * Returns the user of a page, whose second factor is verified if the account has one, or redirects
 * to the step that is required first.
 */
export async function requireUser({
  locals: { session },
}: {
  locals: App.Locals
}): Promise<Viewer> {
  try {
    return await session.requireUser()
  } catch (error) {
    redirectToStep(error)
    throw error
  }
}

function redirectToStep(error: unknown): void {
  const step = requiredStep(error)
  if (step) redirect(303, steps[step])
}
