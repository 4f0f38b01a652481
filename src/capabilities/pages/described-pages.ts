import type { DescribedPage } from '../../endpoints/http/openapi-document.ts'

const page = (path: string, summary: string, hasForms = true): DescribedPage => ({
  path,
  summary,
  hasForms,
})

/**
 * The pages, as documents list them. They exist where the pages are enabled; those of applications
 * and devices also need the OAuth server.
 */
export const describedPages: readonly DescribedPage[] = [
  page('/sign-in', 'Shows the page that signs users in by every enabled method.'),
  page('/sign-up', 'Shows the page that creates an account.'),
  page('/confirm', 'Shows the page that accepts the code of a message.'),
  page('/forgot-password', 'Shows the page that sends a link for a new password.'),
  page('/new-password', 'Shows the page that sets a new password.'),
  page('/second-factor', 'Shows the page of the second step of a sign-in.'),
  page('/account', 'Shows name, email, phone and user name of the signed-in user.'),
  page('/account/security', 'Shows password, factors, passkeys and trusted devices of the user.'),
  page('/account/sessions', 'Shows the sessions of the signed-in user.'),
  page('/account/identities', "Shows the user's accounts at external providers."),
  page('/account/applications', 'Shows the applications with access to the account.'),
  page('/account/data', "Shows the export and the deletion of the user's data."),
  page('/consent', 'Shows the page that grants an application access to the account.'),
  page('/device', 'Shows the page that accepts the code of a device.'),
  page('/signed-out', 'Shows the page after a sign-out.'),
  page('/error', 'Shows the page of an error at the end of a flow.', false),
]
