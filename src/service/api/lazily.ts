type AnyMethod = (...args: never[]) => Promise<unknown>

/** The names of the methods of an object. That of a method in a group is `group.method`. */
export type MethodName<T> = {
  [name in keyof T & string]: T[name] extends AnyMethod ? name : `${name}.${keyof T[name] & string}`
}[keyof T & string]

/** The name of every method of an object: the compiler finds one that is missing. */
export type MethodsOf<T> = { readonly [name in MethodName<T>]: true }

/** The methods of an object by their names. */
export type FlatMethods<T> = { [name in MethodName<T>]: MethodAt<T, name> }

type MethodAt<T, Name> = Name extends keyof T
  ? T[Name]
  : Name extends `${infer Group}.${infer Method}`
    ? Group extends keyof T
      ? Method extends keyof T[Group]
        ? T[Group][Method]
        : never
      : never
    : never

/** Returns an object with the methods of another one, which is created at the first call. */
export function lazily<T extends object>(
  methods: { readonly [name in MethodName<T>]: unknown },
  withTarget: (call: (target: T) => Promise<unknown>) => Promise<unknown>,
): T {
  const forward =
    (name: string) =>
    (...args: never[]) =>
      withTarget((target) => callAt(target, name, args))
  const all = Object.keys(methods).map((name) => [name, forward(name)] as const)
  return inGroups<T>(Object.fromEntries(all) as { [name in MethodName<T>]: unknown })
}

/** Returns an object whose methods are in their groups. */
export function inGroups<T extends object>(methods: { [name in MethodName<T>]: unknown }): T {
  const whole: Record<string, unknown> = {}
  for (const [name, method] of Object.entries(methods)) {
    const [first = '', second] = name.split('.')
    if (second === undefined) whole[first] = method
    else whole[first] = { ...(whole[first] as object | undefined), [second]: method }
  }
  return whole as T
}

/** Calls a method by its name. */
function callAt(target: object, name: string, args: never[]): Promise<unknown> {
  const [first = '', second] = name.split('.')
  const own = target as Record<string, unknown>
  const holder = second === undefined ? own : (own[first] as Record<string, unknown>)
  return (holder[second ?? first] as AnyMethod)(...args)
}
