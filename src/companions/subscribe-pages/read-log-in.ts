import { invalidData, type Violations, validationFailed } from './pages-error.ts'

const blank = 'This value should not be blank.'

/**
 * Reads the body of a log-in.
 *
 * @throws SubscribePagesError 400 for a wrong type, 422 for a missing or blank value, under the
 *   names `loginName` and `password`.
 */
export function readLogIn(body: Record<string, unknown>): { loginName: string; password: string } {
  const { login_name: snake, loginName: camel = snake, password } = body
  const loginName = readText(camel, 'login_name')
  const read = { loginName: loginName?.trim(), password: readText(password, 'password') }
  const violations: Violations = Object.fromEntries(
    Object.entries(read)
      .filter(([, text]) => text === undefined || text.trim() === '')
      .map(([name]) => [name, [blank]]),
  )
  if (Object.keys(violations).length > 0) throw validationFailed(violations)
  return { loginName: read.loginName ?? '', password: read.password ?? '' }
}

function readText(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw invalidData(`${name} has to be a text.`)
}
