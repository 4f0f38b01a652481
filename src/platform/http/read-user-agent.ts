/** The stored length of a user agent. Browsers send 100 to 200 characters. */
const maxLength = 512

/** Returns the `User-Agent` header as it is stored: of a limited length, and null if it is empty. */
export const readUserAgent = (header: string | null | undefined): string | null =>
  header?.slice(0, maxLength) || null
