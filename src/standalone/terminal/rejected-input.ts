import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'
import { UsageError } from '../command-error.ts'

/** The command line that an error is about. */
export interface CommandLine {
  /** The beginning of the message, such as `clients create`. */
  command: string
  /** The options of the command, without dashes. */
  options: readonly string[]
  /** The words or options of fields that have other names. */
  names?: Readonly<Record<string, string>>
}

/** The codes of values that violate a rule. In a command, all values are of the command line. */
const valueErrors: readonly AuthErrorCode[] = [
  'validation_failed',
  'bad_json',
  'email_address_invalid',
]

/**
 * Converts the rejection of a value into an error of the command line, which names the option or
 * word in place of the field. Other errors are returned as they are.
 */
export function asUsageError(error: unknown, line: CommandLine): unknown {
  if (!(error instanceof AuthError) || !valueErrors.includes(error.code)) return error
  return new UsageError(`${line.command}: ${withOptionName(error.message, line)}`)
}

function withOptionName(message: string, { options, names = {} }: CommandLine): string {
  const [, field = '', rule = ''] = /^(\w+): (.*)$/s.exec(message) ?? []
  if (field === '') return message
  const option = field
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replaceAll('_', '-')
  // An option that may be repeated has the singular name of its field.
  const found = [option, option.replace(/s$/, '')].find((one) => options.includes(one))
  const name = Object.hasOwn(names, field) ? names[field] : found && `--${found}`
  if (name === undefined) return message
  return /^(is|has|have|must|may|cannot|does|contains|belongs) /.test(rule)
    ? `${name} ${rule}`
    : `${name}: ${rule}`
}
