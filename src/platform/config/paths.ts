import type { Logger } from '../observability/logger.ts'
import type { ProviderDefinition } from './sections/provider-definition.ts'
import type { CacheStorage, Rate } from './sections/values.ts'

/** Objects that are one value of a setting. */
type Whole =
  | readonly unknown[]
  | Date
  | Rate
  | Logger
  | ProviderDefinition
  | CacheStorage
  | ((...given: never[]) => unknown)

type Single = string | number | boolean | null | Whole

type IsLeaf<Value> = [Value] extends [Single]
  ? true
  : string extends keyof Exclude<Value, Single>
    ? true
    : false

/** The dotted paths of all values of `Tree`; maps count as values. */
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

/** Returns the value at a dotted path; undefined if an object on the path is missing. */
export function valueAt(tree: unknown, path: string): unknown {
  let value = tree
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Sets the value at a dotted path, and creates missing objects. */
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
