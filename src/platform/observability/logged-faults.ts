/** The errors that a component logged itself, before it threw them. */
const logged = new WeakSet<object>()

/** Notes that the log contains an error, so that the response to it does not log it again. */
export function noteLogged(error: unknown): void {
  if (typeof error === 'object' && error !== null) logged.add(error)
}

/** Reports whether the log contains an error already. */
export const isLogged = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && logged.has(error)
