/** The documentation of a code in `docs/errors.md`. */
export interface ErrorMeaning {
  topic: ErrorTopic
  /** The HTTP statuses of the code, the usual one first. */
  statuses: readonly [number, ...number[]]
  /** The cause. */
  means: string
  /** The reaction of the client. */
  client?: string
  /** The correction by the developer, if the application is the cause. */
  developer?: string
  /** The checks and settings of the operator. */
  operator?: string
}

export const errorTopics = [
  'Requests',
  'Sign-up and sign-in',
  'Links and codes',
  'Passwords',
  'Sessions and tokens',
  'Users and addresses',
  'Limits',
  'External providers',
  'Second factors',
  'Passkeys',
  'Wallets',
  'OAuth server',
  'Hooks',
  'The service',
] as const

export type ErrorTopic = (typeof errorTopics)[number]
