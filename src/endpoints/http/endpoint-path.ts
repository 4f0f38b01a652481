/** Returns the names in a path, as the wire and as code spell them. */
export const pathNames = (path: string): { onWire: string; inCode: string }[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, onWire = '']) => ({
    onWire,
    inCode: onWire.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  }))

/** The names in a path, as code spells them: `/factors/{factor_id}` has `factorId`. */
export type PathName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? InCode<Name> | PathName<Rest>
  : never

type InCode<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<InCode<Rest>>}`
  : Name

/** Spells a path as the router does: `/factors/:factor_id`. */
export const routeOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')
