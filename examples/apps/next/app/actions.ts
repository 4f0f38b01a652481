'use server'

import { redirect } from 'next/navigation'
import { action } from '../session'

export const signIn = action(async ({ api }, { email, password }) => {
  await api.signInWithPassword({ email, password })
  redirect('/')
})

export const signUp = action(async ({ api }, { email, password }) => {
  await api.signUp({ email, password })
  return { email }
})

export const confirm = action(async ({ api }, { email, code }) => {
  await api.verifyOtp({ type: 'signup', email, token: code })
  redirect('/')
})
