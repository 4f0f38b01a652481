/** The violated rules of a body, by the path of each value. */
export type Violations = Record<string, string[]>

/** An error in the form of this interface. It is never one of the service's own errors. */
export class SubscribePagesError extends Error {
  override readonly name = 'SubscribePagesError'
  readonly status: number
  readonly violations: Violations | null

  constructor(
    status: number,
    message: string,
    { violations = null, cause }: { violations?: Violations | null; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.status = status
    this.violations = violations
  }
}

export const notAuthorized = (cause: unknown): SubscribePagesError =>
  new SubscribePagesError(401, 'Not authorized', { cause })

export const noSession = (cause?: unknown): SubscribePagesError =>
  new SubscribePagesError(403, 'No valid session key was provided as basic auth password.', {
    cause,
  })

export type Action = 'view' | 'create' | 'update' | 'delete'

export const notAllowed = (action: Action): SubscribePagesError =>
  new SubscribePagesError(403, `You are not allowed to ${action} subscribe pages.`)

export const pageNotFound = (): SubscribePagesError =>
  new SubscribePagesError(404, 'Subscribe page not found')

export const listNotFound = (): SubscribePagesError =>
  new SubscribePagesError(404, 'Subscriber list not found.')

export const keyNotFound = (): SubscribePagesError =>
  new SubscribePagesError(404, 'Token not found.')

export const notYourKey = (): SubscribePagesError =>
  new SubscribePagesError(403, 'You do not have access to this session.')

export const invalidJson = (cause: unknown): SubscribePagesError =>
  new SubscribePagesError(400, 'Invalid JSON: Syntax error', { cause })

/** @param problem a text without any value of the request. */
export const invalidData = (problem: string, cause?: unknown): SubscribePagesError =>
  new SubscribePagesError(400, `Invalid request data: ${problem}`, { cause })

export const tooManyPages = (most: number): SubscribePagesError =>
  validationFailed({ owner: [`This owner has ${most} subscribe pages, the maximum.`] })

export const validationFailed = (violations: Violations): SubscribePagesError =>
  new SubscribePagesError(422, 'Validation failed', { violations })
