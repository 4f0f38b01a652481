type AnyMethod = (...args: never[]) => Promise<unknown>

/** The name of every method of an object: the compiler finds one that is missing. */
export type MethodsOf<T> = { readonly [name in keyof T]: true }

/** Returns an object with the methods of another one, which is created at the first call. */
export function lazily<T extends { [name in keyof T]: AnyMethod }>(
  methods: { readonly [name in keyof T]: unknown },
  withTarget: (call: (target: T) => Promise<unknown>) => Promise<unknown>,
): T {
  const forward =
    (name: keyof T) =>
    (...args: never[]) =>
      withTarget((target) => target[name](...args))
  const names = Object.keys(methods) as (keyof T)[]
  return Object.fromEntries(names.map((name) => [name, forward(name)])) as unknown as T
}
