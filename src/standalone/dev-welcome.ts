/**
 * What `latchkey dev` says once it listens.
 *
 * @param serviceToken an operator's token, shown on a terminal; null elsewhere.
 */
export function welcome(url: string, serviceToken: string | null): string {
  const user = `'{"email":"ada@example.com","password":"correct horse"}'`
  const lines = [
    '',
    `Latchkey is running at ${url}`,
    '',
    'Sign up, then sign in:',
    `  curl ${url}/signup -d ${user}`,
    `  curl '${url}/token?grant_type=password' -d ${user}`,
    ...(serviceToken === null ? [] : operatorLines(url, serviceToken)),
    '',
    'Data and keys are kept in .latchkey/. Stop with Ctrl+C.',
    '',
  ]
  return lines.join('\n')
}

const operatorLines = (url: string, serviceToken: string): string[] => [
  '',
  'Act as an operator (this token opens everything for 12 hours):',
  `  export SERVICE_TOKEN=${serviceToken}`,
  `  curl ${url}/admin/users -H "authorization: Bearer $SERVICE_TOKEN" \\`,
  `    -d '{"email":"grace@example.com","password":"correct horse","email_confirm":true}'`,
]
