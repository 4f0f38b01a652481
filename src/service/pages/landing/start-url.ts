/** Returns the URL of the first page for a browser, which may then open the mailbox. */
export const startUrl = (serviceUrl: string, token: string): string =>
  `${serviceUrl}/?token=${token}`
