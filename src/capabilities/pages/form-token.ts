import { isSameSecret, sha256Hex } from '../../platform/kit/digest.ts'
import type { PageRequest } from './page-request.ts'

/** The field of the token in each form. */
export const tokenField = 'form_token'

/**
 * Returns the token of the forms of a browser. It is bound to its session, or before a sign-in to
 * its pre-session, whose secret only its sealed cookie contains: an attacker can submit no form in
 * the browser of another user, not even one that signs in as the attacker.
 */
export const formTokenOf = (page: Pick<PageRequest, 'pre' | 'boundTo'>): string =>
  sha256Hex(`form:${page.pre.id}:${page.boundTo()}`).slice(0, 40)

export const isFormToken = (page: Pick<PageRequest, 'pre' | 'boundTo'>, given: string): boolean =>
  isSameSecret(given, formTokenOf(page))
