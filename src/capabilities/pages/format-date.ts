import type { PageRequest } from './page-request.ts'

/**
 * Returns a date and time in the language of a page. The time zone of the user is unknown, so the
 * text names its own.
 */
export const formatDate = ({ language }: Pick<PageRequest, 'language'>, at: Date): string =>
  new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(at)
