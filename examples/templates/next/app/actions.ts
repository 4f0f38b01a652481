'use server'

import { redirect } from 'next/navigation'
import { action } from '../session'

export const signUp = action(async ({ api }, { email, password }) => {
  await api.signUp({ email, password, redirectTo: '/callback' })
  redirect(`/confirm?email=${encodeURIComponent(email)}`)
})

export const confirm = action(async ({ api }, { email, code }) => {
  await api.verifyOtp({ type: 'signup', email, token: code })
  redirect('/account')
})

export const signIn = action(async ({ api }, { email, password }) => {
  await api.signInWithPassword({ email, password })
  redirect('/account')
})

export const signInWithGithub = action(async ({ api }) => {
  const { url } = await api.signInWithOAuth({ provider: 'github', redirectTo: '/callback' })
  redirect(url)
})

export const recover = action(async ({ api }, { email }) => {
  await api.resetPasswordForEmail({ email, redirectTo: '/callback?next=/new-password' })
  redirect(`/recover/code?email=${encodeURIComponent(email)}`)
})

export const confirmRecovery = action(async ({ api }, { email, code }) => {
  await api.verifyOtp({ type: 'recovery', email, token: code })
  redirect('/new-password')
})

export const setPassword = action(async ({ api }, { password }) => {
  await api.updateUser({ password })
  redirect('/account')
})

export const enroll = action(async ({ api }) => {
  // The factor of an earlier enrollment whose code was not entered.
  const { factors } = await api.getUser()
  for (const { id: factorId, status } of factors) {
    if (status === 'unverified') await api.unenrollFactor({ factorId })
  }
  const { id, totp } = await api.enrollFactor({ factorType: 'totp' })
  return { factorId: id, qrCode: totp?.qrCode, secret: totp?.secret }
})

export const verify = action(async ({ api }, { factorId, code }) => {
  const { id: challengeId } = await api.challengeFactor({ factorId })
  await api.verifyFactor({ factorId, challengeId, code })
  redirect('/account')
})

export const signOut = action(async (session) => {
  await session.signOut()
  redirect('/')
})

export const signOutEverywhere = action(async (session) => {
  await session.signOut({ scope: 'global' })
  redirect('/')
})
