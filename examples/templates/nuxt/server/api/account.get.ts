import { requiredStep } from 'latchkey/cookies'

const pages = { sign_in: '/sign-in', verify: '/verify', enroll: '/enroll' }

/**
 * The data of the account page, of a session whose second factor is verified if the user has one;
 * or the page of the step that is required first.
 */
export default defineEventHandler(async (event) => {
  const session = await openSession(event)
  try {
    const { user } = await session.requireUser()
    return { step: null, email: user.email }
  } catch (error) {
    const step = requiredStep(error)
    if (!step) throw error
    return { step: pages[step], email: null }
  }
})
