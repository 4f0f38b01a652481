/** The types of a value and its members, without the values: the snapshot of JSON. */
export type Shape = string | Shape[] | { [member: string]: Shape }

/** Returns the shape of a JSON value. For a list, returns the different shapes of its items. */
export function shapeOf(value: unknown): Shape {
  if (value === null) return 'null'
  if (Array.isArray(value)) {
    const shapes = new Map(value.map((item) => [JSON.stringify(shapeOf(item)), shapeOf(item)]))
    return [...shapes.values()]
  }
  if (typeof value !== 'object') return typeof value
  const members = Object.entries(value).map(([name, member]) => [name, shapeOf(member)] as const)
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
