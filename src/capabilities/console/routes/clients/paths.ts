export const clientsPath = '/console/clients'

/** Returns the path of the page of a client. */
export const clientPath = (id: string): string => `${clientsPath}/${id}`
