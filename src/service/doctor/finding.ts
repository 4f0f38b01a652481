import { namesOf } from '../../platform/config/environment-names.ts'
import { settings } from '../../platform/config/settings.ts'
import { describeError } from '../../platform/observability/describe-error.ts'

/** The result of one check. */
export interface Finding {
  /**
   * `problem`: something does not work. `warning`: it works, but differs from common requirements.
   */
  level: 'fine' | 'warning' | 'problem'
  /** The subject, as in `mail`. */
  about: string
  message: string
  /** The remedy; absent if the level is `fine`, or if the message contains it. */
  remedy?: string
}

export const fine = (about: string, message: string): Finding => ({ level: 'fine', about, message })

export const warning = (about: string, message: string, remedy: string): Finding => ({
  level: 'warning',
  about,
  message,
  remedy,
})

export const problem = (about: string, message: unknown, remedy?: string): Finding => ({
  level: 'problem',
  about,
  message: typeof message === 'string' ? message : describeError(message),
  ...(remedy !== undefined && { remedy }),
})

/** Returns `problem: mail: …`, and below it the remedy. */
export function describeFinding({ level, about, message, remedy }: Finding): string {
  const start = level === 'fine' ? '' : `${level}: `
  return `${start}${about}: ${message}${remedy === undefined ? '' : `\n  remedy: ${remedy}`}`
}

/** Returns the finding with the names of settings in code, where those of the environment are. */
export const withNamesInCode = ({ remedy, ...finding }: Finding): Finding => ({
  ...finding,
  message: namesInCode(finding.message),
  ...(remedy !== undefined && { remedy: namesInCode(remedy) }),
})

/** Replaces names of the environment by paths in code, and `NAME=value` by `path: value`. */
const namesInCode = (text: string): string =>
  text.replaceAll(/\b(AUTH_[A-Z_]+[A-Z])(=(?=\w))?/g, (found, name: string, assigned?: string) => {
    const path = pathOf(name)
    return path === undefined ? found : `${path}${assigned === undefined ? '' : ': '}`
  })

const pathOf = (name: string): string | undefined =>
  settings.find((setting) => namesOf(setting).includes(name))?.path
