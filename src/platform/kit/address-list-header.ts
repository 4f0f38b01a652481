/** Headers with lists that proxies append to. The client itself may have sent the left part. */
const appendedTo = /^x-(?:.+-)?forwarded-for$/

/** Returns whether a header contains a list of addresses, one for each proxy. */
export const hasAddressList = (header: string): boolean =>
  header.toLowerCase() === 'forwarded' || isForwardedFor(header)

/** Returns whether a header has the form of `X-Forwarded-For`. */
export const isForwardedFor = (header: string): boolean => appendedTo.test(header.toLowerCase())
