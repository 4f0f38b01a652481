const bearerForm = /^bearer (\S+)$/i

/** The token of an `Authorization` header; null for any other content. @see RFC 6750 §2.1 */
export const parseBearer = (header: string | null | undefined): string | null =>
  bearerForm.exec(header ?? '')?.[1] ?? null
