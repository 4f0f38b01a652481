import { validationFailed } from '../../errors/request-errors.ts'

/**
 * The order that a list is asked for in: `created_at`, alone (newest first) or with `asc` or `desc`. Of
 * several the first counts, since they all name the one field that there is.
 *
 * @param sorts as sent; empty ones count as missing.
 * @throws AuthError `validation_failed`
 */
export function readSort(sorts: readonly string[]): 'asc' | 'desc' {
  const [first = 'desc'] = sorts.filter((sort) => sort !== '').map(readDirection)
  return first
}

function readDirection(sort: string): 'asc' | 'desc' {
  const [field, ...rest] = sort.split(' ')
  const direction = rest.join(' ').toLowerCase() || 'desc'
  if (field !== 'created_at') throw badSort(`bad field for sort '${field}'`)
  if (direction === 'asc' || direction === 'desc') return direction
  throw badSort(`bad direction for sort '${rest.join(' ')}', only 'asc' and 'desc' allowed`)
}

const badSort = (detail: string) => validationFailed(`Bad Sort Parameters: ${detail}`)
