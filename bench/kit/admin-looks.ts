/** What operators ask for, and how much longer it may take where many users are. */
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

/** A page of the wire's list, and what somebody would write who had SQL alone: the count, and the rows. */
export const lists = ['first', 'deep'] as const
export type List = (typeof lists)[number]

/** On a page. */
export const perPage = 50

/** What one import did. */
export interface ImportFigures {
  usersPerMinute: number
  /** The most memory that was resident until a tenth was stored, and until all was. */
  earlyPeakBytes: number
  peakBytes: number
}

/** Times of the same page, in ms, asked for in turn. */
export interface ListFigures {
  wire: number
  bare: number
}
