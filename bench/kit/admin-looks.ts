/** The queries of operators, whose time must not grow with the number of users. */
export const looks = {
  id: 'find by id',
  email: 'find by email',
  phone: 'find by phone',
  identity: 'find by identity',
  prefix: 'ten whose email begins so, of many',
  rarePrefix: 'whose email begins so, of few',
  firstPage: 'page by key, the first',
  deepPage: 'page by key, in the middle',
  filter: 'filter on a part of the address',
} as const

export type Look = keyof typeof looks

/** A page of the wire's list, beside the same in plain SQL: the count, and the rows. */
export const lists = ['first', 'deep'] as const
export type List = (typeof lists)[number]

/** The number of users on a page. */
export const perPage = 50

/** The figures of an import. */
export interface ImportFigures {
  usersPerMinute: number
  /** The peak of resident memory until a tenth was stored, and until all was. */
  earlyPeakBytes: number
  peakBytes: number
}

/** Times of the same page in milliseconds, measured alternately. */
export interface ListFigures {
  wire: number
  bare: number
}
