import type { Logger } from '../observability/logger.ts'
import type { CacheStorage } from './sections/cache-storage.ts'
import type { ProviderDefinition } from './sections/provider-definition.ts'
import type { Rate } from './sections/values.ts'

/** What a setting may hold as a whole, though it is an object. */
type Whole =
  | readonly unknown[]
  | Date
  | Rate
  | Logger
  | ProviderDefinition
  | CacheStorage
  | ((...given: never[]) => unknown)

type IsLeaf<Value> = [Value] extends [string | number | boolean | null | Whole]
  ? true
  : string extends keyof Value
    ? true
    : false

/** The dotted paths of all values that `Tree` holds, maps counted as values. */
export type LeafPath<Tree> = {
  [Key in keyof Tree & string]: IsLeaf<Tree[Key]> extends true
    ? Key
    : `${Key}.${LeafPath<Tree[Key]>}`
}[keyof Tree & string]

/** The type of the value at a dotted path. */
export type ValueAt<Tree, Path extends string> = Path extends `${infer Key}.${infer Rest}`
  ? Key extends keyof Tree
    ? ValueAt<Tree[Key], Rest>
    : never
  : Path extends keyof Tree
    ? Tree[Path]
    : never

/** The value at a dotted path of nested objects; undefined where an object on the way is missing. */
export function valueAt(tree: unknown, path: string): unknown {
  let value = tree
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Puts a value at a dotted path, making the objects on the way. */
export function setAt(tree: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.')
  const last = keys.pop() as string
  let parent = tree
  for (const key of keys) {
    if (!Object.hasOwn(parent, key)) parent[key] = {}
    parent = parent[key] as Record<string, unknown>
  }
  parent[last] = value
}
