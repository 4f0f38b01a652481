import { AuthError } from '../../platform/errors/auth-error.ts'
import { countRejection, type Telemetry } from '../../platform/observability/telemetry.ts'
import { endpoints } from '../endpoints.ts'

type AnyMethod = (...args: never[]) => Promise<unknown>

/**
 * The labels of methods that sign in or prove a factor. Successes are counted where the session is
 * opened or raised.
 */
const signInMethods: ReadonlyMap<string, string> = new Map(
  endpoints.flatMap(({ inCode, signInMethod }) =>
    inCode && signInMethod ? [[inCode, signInMethod]] : [],
  ),
)

/** Returns an object whose methods are spans, like requests. */
export function tracedCalls<T extends object>(
  api: 'api' | 'admin',
  target: T,
  telemetry: Telemetry | null,
): T {
  if (!telemetry) return target
  const traced =
    (name: string, call: AnyMethod): AnyMethod =>
    (...args) =>
      telemetry.run({ name: `auth.${api}.${name}` }, async () => {
        try {
          return await call.apply(target, args)
        } catch (error) {
          if (error instanceof AuthError) {
            countRejection(
              telemetry,
              `${api}.${name}`,
              error.code,
              signInMethods.get(`auth.${api}.${name}`),
            )
          }
          throw error
        }
      })
  const tracedAll = (methods: object, prefix: string): object =>
    Object.fromEntries(
      Object.entries<AnyMethod | object>({ ...methods }).map(([name, one]) => [
        name,
        typeof one === 'function'
          ? traced(`${prefix}${name}`, one as AnyMethod)
          : tracedAll(one, `${prefix}${name}.`),
      ]),
    )
  return tracedAll(target, '') as T
}
