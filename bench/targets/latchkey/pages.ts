import type { Target } from '../target.ts'

const asks: Target['asks'] = {
  'sign-in-page': () => ({
    method: 'GET',
    path: '/sign-in',
    headers: { accept: 'text/html' },
  }),
}

/** The sign-in page, as a browser without cookies requests it. */
export const signInPage: Target = {
  name: 'sign-in page',
  server: ['targets/latchkey/pages-server.ts'],
  users: [],
  sessions: [],
  asks,
}

/** A bare handler that sends the same bytes. */
export const barePage: Target = {
  ...signInPage,
  name: 'bare handler',
  server: ['targets/bare-page.ts'],
}
