import type { ServerEvent } from './server-event.ts'

/** Whether this is the request by which Nuxt renders the page that tells of an error. */
export const isErrorPage = ({ path }: ServerEvent): boolean => path.startsWith('/__nuxt_error')
