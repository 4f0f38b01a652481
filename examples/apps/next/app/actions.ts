'use server'

import { AuthError } from 'latchkey'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { auth } from '../auth'
import { changeSession } from '../session'

/** State of a form: the reason of a rejection, or the address that a code was sent to. */
export interface FormState {
  problem?: string
  email?: string
}

export async function signIn(_state: FormState, form: FormData): Promise<FormState> {
  const refusal = await refused(async () => {
    const session = await changeSession()
    const input = { email: text(form, 'email'), password: text(form, 'password') }
    const signIn = await auth().api.signInWithPassword(input, await callOptions())
    await session.keep(signIn.session)
  })
  return refusal ?? redirect('/')
}

export async function signUp(_state: FormState, form: FormData): Promise<FormState> {
  const email = text(form, 'email')
  const refusal = await refused(async () =>
    auth().api.signUp({ email, password: text(form, 'password') }, await callOptions()),
  )
  return refusal ?? { email }
}

export async function confirm({ email }: FormState, form: FormData): Promise<FormState> {
  const refusal = await refused(async () => {
    const session = await changeSession()
    const token = text(form, 'code')
    const input = { type: 'signup', email: text(form, 'email'), token } as const
    const proof = await auth().api.verifyOtp(input, await callOptions())
    if (proof.session) await session.keep(proof.session)
  })
  return refusal ? { ...refusal, email } : redirect('/')
}

async function refused(work: () => Promise<unknown>): Promise<FormState | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return { problem: error.message }
  }
}

/** The client and languages of the request, for the session and for mails. */
const callOptions = async () => auth().callOptions({ headers: await headers() })

const text = (form: FormData, name: string) => String(form.get(name) ?? '')
