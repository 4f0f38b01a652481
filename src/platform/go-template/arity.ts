/** The functions that templates may call: the least and the most values that each takes. */
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
 * How many values a function takes; null when there is none of this name. `call` is not among them: it
 * runs functions that are handed to a template, and none ever is.
 */
export const arityOf = (name: string): readonly [number, number] | null => arities.get(name) ?? null
