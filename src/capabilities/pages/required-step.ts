import { type PageRequest, pathTo, returnTo } from './page-request.ts'

/**
 * Returns the page of the proof that an error requires first, which returns to this path; null if
 * it requires none.
 */
export function requiredStep(
  page: PageRequest,
  path: string,
  { code, stepUp }: { code: string; stepUp: string | null | undefined },
): string | null {
  const back = { redirect_to: returnTo(page, path) }
  if (code === 'insufficient_aal' || stepUp === 'verify') {
    page.pre.notice = 'notice.stepUp'
    return pathTo(page, '/second-factor', back)
  }
  if (stepUp !== 'sign_in') return null
  page.pre.notice = 'notice.signInAgain'
  return pathTo(page, '/sign-in', { ...back, again: '1' })
}
