/** The data printed when a development service has started. */
export interface StartDescription {
  url: string
  /**
   * Where messages are shown, and which: `mails and text messages`. Null if all are really sent.
   */
  mailbox: { url: string; shows: string } | null
  /** The console, signed in as a demonstration operator; null where it is disabled. */
  consoleUrl: string | null
  /** The page that links to the sign-in and account pages; null where these are disabled. */
  start: string | null
  /** Whether addresses are confirmed without a message. */
  autoconfirm: boolean
  /** An operator's token, printed on a terminal; null elsewhere. */
  serviceToken: string | null
}

/** Returns the text that `latchkey dev` prints once it listens. */
export function describeStart({
  url,
  start,
  mailbox,
  consoleUrl,
  autoconfirm,
  serviceToken,
}: StartDescription): string {
  const lines = [
    '',
    `Latchkey is running at ${url}`,
    ...(start === null ? [] : ['', 'Sign up and in on its pages:', `  ${start}`]),
    ...(mailbox
      ? ['', `It shows ${mailbox.shows} here instead of sending them:`, `  ${mailbox.url}`]
      : []),
    ...(consoleUrl === null
      ? []
      : ['', 'The operator console, signed in as a demonstration operator:', `  ${consoleUrl}`]),
    '',
    ...signUpLines(url, autoconfirm),
    ...(serviceToken === null ? [] : operatorLines(url, serviceToken)),
    '',
    'Data and keys are kept in .latchkey/. Stop with Ctrl+C.',
    '',
  ]
  return lines.join('\n')
}

function signUpLines(url: string, autoconfirm: boolean): string[] {
  const user = `'{"email":"ada@example.com","password":"correct horse"}'`
  const proof = `'{"type":"signup","email":"ada@example.com","token":"CODE"}'`
  const signUp = `  curl ${url}/signup -d ${user}`
  const signIn = `  curl '${url}/token?grant_type=password' -d ${user}`
  if (autoconfirm) return ['Sign up, then sign in:', signUp, signIn]
  return [
    'Sign up, confirm with the code in the mail, then sign in:',
    signUp,
    `  curl ${url}/verify -d ${proof}`,
    signIn,
  ]
}

const operatorLines = (url: string, serviceToken: string): string[] => [
  '',
  'Act as an operator (this token grants full access for 12 hours):',
  `  export SERVICE_TOKEN=${serviceToken}`,
  `  curl ${url}/admin/users -H "authorization: Bearer $SERVICE_TOKEN" \\`,
  `    -d '{"email":"grace@example.com","password":"correct horse","email_confirm":true}'`,
]
