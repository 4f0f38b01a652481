import { type ParseArgsConfig, parseArgs } from 'node:util'
import { knownNames, prefix } from '../../platform/config/environment-names.ts'
import { nearestName } from '../../platform/config/nearest-name.ts'
import { describeError } from '../../platform/observability/describe-error.ts'
import { UsageError } from '../command-error.ts'
import { commandsWithOption, optionsOf } from '../usage.ts'

export type FlagOptions = NonNullable<ParseArgsConfig['options']>

interface Parsed<Options extends FlagOptions> {
  args: string[]
  options: Options
  allowPositionals: true
  tokens: true
}

/**
 * Parses the flags and words of a command.
 *
 * @param command the beginning of error messages.
 * @throws UsageError for a flag that is unknown, or without its value.
 */
export function parseFlags<const Options extends FlagOptions>(
  command: string,
  args: string[],
  options: Options,
): ReturnType<typeof parseArgs<Parsed<Options>>> {
  try {
    return parseArgs<Parsed<Options>>({ args, options, allowPositionals: true, tokens: true })
  } catch (error) {
    const unknown = unknownOption(error)
    const problem = unknown
      ? describeUnknown(unknown, Object.keys(options))
      : (describeValue(error) ?? describeError(error))
    throw new UsageError(`${command}: ${problem}`)
  }
}

/**
 * Parses the line of a command with several actions, and returns the action's name, words and
 * options.
 *
 * @param group the command, such as `outbox`.
 * @param options the options of all its actions. Usage states which action accepts which.
 * @param defaultName the action of a line without words.
 * @throws UsageError as `parseFlags`, and for an option that the usage of the action does not list.
 */
export function parseAction<
  const Options extends FlagOptions,
  Default extends string | undefined = undefined,
>(
  group: string,
  args: string[],
  { options, defaultName }: { options: Options; defaultName?: Default },
) {
  const { values, positionals, tokens } = parseFlags(group, args, options)
  const [name = defaultName as Default, ...words] = positionals
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  rejectOtherOptions(group, name === undefined ? group : `${group} ${name}`, given)
  return { name, words, values }
}

/**
 * Rejects options that the usage of a command does not list: the command would ignore them. The
 * caller rejects a command without usage.
 */
function rejectOtherOptions(group: string, command: string, given: readonly string[]): void {
  const accepted = optionsOf(command)
  const other = accepted && given.find((name) => !accepted.has(name))
  if (other == null) return
  const owners = commandsWithOption(group, other).join(', ')
  throw new UsageError(`${command}: --${other} is an option of ${owners}`)
}

/** Rejects arguments of a command that has none. */
export function rejectArguments(command: string, args: string[]): void {
  rejectWords(command, parseFlags(command, args, {}).positionals)
}

/** Rejects further words. The message does not quote them: one may be a URL with a password. */
export function rejectWords(command: string, words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`${command}: expects no further word`)
}

/** Returns the name of an unknown option, without its dashes and value; null for other errors. */
function unknownOption(error: unknown): string | null {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error)
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return null
  return /'-{1,2}([^'=\s]{1,60})/.exec(String(message))?.[1] ?? null
}

/**
 * Returns a message for an option whose value is missing or not expected; null for other errors.
 */
function describeValue(error: unknown): string | null {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error)
  const name = /--[\w-]+/.exec(String(message))?.[0]
  if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' || name === undefined) return null
  if (/does not take/.test(String(message))) return `${name} takes no value`
  const remedy = /ambiguous/.test(String(message))
    ? `. Write one that begins with a dash as ${name}=-VALUE`
    : ''
  return `${name} needs a value${remedy}`
}

/** Returns a message with the likely intention: another option, or a setting of the environment. */
function describeUnknown(name: string, known: readonly string[]): string {
  const dashes = name.length === 1 ? '-' : '--'
  const setting = settingCalled(name)
  const nearest = nearestName(name, known)
  const remedy = setting
    ? `; set ${setting} in the environment`
    : nearest && `; did you mean --${nearest}?`
  return `unknown option ${dashes}${name}${remedy ?? ''}`
}

function settingCalled(option: string): string | undefined {
  const name = option.toUpperCase().replaceAll('-', '_')
  const names = ['', 'API_', 'DATABASE_', 'DB_'].map((part) => `${prefix}${part}${name}`)
  return names.find((one) => knownNames.has(one))
}
