/** The data of the account page: of a session whose second factor is verified, if the user has one. */
export default defineEventHandler(async (event) => {
  const { user, aal } = await requireUser(event)
  const hasFactor = user.factors.some(({ status }) => status === 'verified')
  if (hasFactor && aal !== 'aal2') return { step: '/verify', email: null }
  return { step: null, email: user.email }
})
