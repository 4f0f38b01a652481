import type { PageRequest } from './page-request.ts'

/** Returns a date and time in the language of a page. The time zone of the user is unknown. */
export const formatDate = ({ language }: Pick<PageRequest, 'language'>, at: Date): string =>
  new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at)
