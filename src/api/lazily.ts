type AnyMethod = (...args: never[]) => Promise<unknown>

/** An object that has the methods of another one, which is only there once they are called. */
export function lazily<T extends { [name in keyof T]: AnyMethod }>(
  names: readonly (keyof T)[],
  withTarget: (call: (target: T) => Promise<unknown>) => Promise<unknown>,
): T {
  const forward =
    (name: keyof T) =>
    (...args: never[]) =>
      withTarget((target) => target[name](...args))
  return Object.fromEntries(names.map((name) => [name, forward(name)])) as unknown as T
}
