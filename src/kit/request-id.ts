const form = /^[\w.:+/=@-]{1,128}$/

/** Whether a text can be the id of a request. */
export const isRequestId = (text: string): boolean => form.test(text)
