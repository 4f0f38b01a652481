/** Fails every use of a database. */
export const noDatabase = {
  transaction: (): Promise<never> => Promise.reject(new Error('there is no database here')),
}
