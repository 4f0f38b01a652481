/** The functions that templates may call, with their minimum and maximum number of arguments. */
const arities = new Map<string, readonly [number, number]>([
  ['and', [1, Number.POSITIVE_INFINITY]],
  ['or', [1, Number.POSITIVE_INFINITY]],
  ['not', [1, 1]],
  ['eq', [2, Number.POSITIVE_INFINITY]],
  ['ne', [2, 2]],
  ['lt', [2, 2]],
  ['le', [2, 2]],
  ['gt', [2, 2]],
  ['ge', [2, 2]],
  ['len', [1, 1]],
  ['index', [1, Number.POSITIVE_INFINITY]],
  ['slice', [1, 3]],
  ['print', [0, Number.POSITIVE_INFINITY]],
  ['printf', [1, Number.POSITIVE_INFINITY]],
  ['println', [0, Number.POSITIVE_INFINITY]],
  ['html', [1, Number.POSITIVE_INFINITY]],
  ['js', [1, Number.POSITIVE_INFINITY]],
  ['urlquery', [1, Number.POSITIVE_INFINITY]],
])

/**
 * Returns the number of arguments of a function; null if it does not exist. `call` is not
 * supported: it runs functions that are passed to a template, and none is.
 */
export const arityOf = (name: string): readonly [number, number] | null => arities.get(name) ?? null
